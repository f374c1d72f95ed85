/** The generator's theme, with a picture on the home page, the run of a lesson in a frame, and colours of contrast. */
import { useData, withBase } from "vitepress";
import DefaultTheme, { VPHomeFeatures, VPHomeHero } from "vitepress/theme";
import { type App, defineComponent, h } from "vue";
import "./style.css";

const PICTURE =
  "A terminal: stint why says that a Job waits for its next pod, how its last pod failed, and what was decided when";

/** The home page. The theme's own has no main part, which screen readers look for. */
const FrontDoor = defineComponent({
  setup: () => () =>
    h("main", { class: "front-door" }, [
      h(VPHomeHero),
      h("div", { class: "terminal" }, [
        h("img", { class: "is-light", src: withBase("/pictures/why-light.svg"), alt: PICTURE }),
        h("img", { class: "is-dark", src: withBase("/pictures/why-dark.svg"), alt: PICTURE }),
      ]),
      h(VPHomeFeatures),
    ]),
});

/** The theme's own has no main part either, and a riddle in place of a way on. */
const NoPage = defineComponent({
  setup: () => () =>
    h("main", { class: "no-page vp-doc" }, [
      h("h1", "There is no such page"),
      h("p", [
        "It may have moved: search for a word of it, or begin with ",
        h("a", { href: withBase("/documents.html") }, "all documents"),
        " or ",
        h("a", { href: withBase("/") }, "the first page"),
        ".",
      ]),
    ]),
});

const LessonFrame = defineComponent({
  setup() {
    const { frontmatter } = useData();
    return () => {
      const { title, address } = frontmatter.value.lesson;
      const page = withBase("/playground/index.html");
      return h("figure", { class: "lesson" }, [
        h("iframe", { src: `${page}?embed=1${address}`, title: `The run: ${title}`, loading: "lazy" }),
        h("figcaption", h("a", { href: page + address, target: "_self" }, "Open it in the playground")),
      ]);
    };
  },
});

export default {
  extends: DefaultTheme,
  Layout: () => h(DefaultTheme.Layout, null, { "not-found": () => h(NoPage) }),
  enhanceApp({ app }: { app: App }) {
    app.component("FrontDoor", FrontDoor);
    app.component("LessonFrame", LessonFrame);
  },
};
