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
  enhanceApp({ app }: { app: App }) {
    app.component("FrontDoor", FrontDoor);
    app.component("LessonFrame", LessonFrame);
  },
};
