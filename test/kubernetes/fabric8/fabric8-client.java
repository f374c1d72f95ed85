/*
 * What programs do with fabric8's kubernetes-client, against the cluster of the kubeconfig, once with each of two
 * transports: Vert.x, its default, and OkHttp. Each has a namespace of its own. A step that works prints
 * `ok TRANSPORT STEP`, another `failed TRANSPORT STEP: WHY`, and the next one follows. Nothing waits for a fixed time;
 * what does not come within DEADLINE_SECONDS has failed. The containers must be processes of this machine.
 */
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.DeletionPropagation;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.CronJobBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.LocalPortForward;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.ExecWatch;
import io.fabric8.kubernetes.client.dsl.LogWatch;
import io.fabric8.kubernetes.client.dsl.NonDeletingOperation;
import io.fabric8.kubernetes.client.dsl.PodResource;
import io.fabric8.kubernetes.client.dsl.ScalableResource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderCallbacks;
import io.fabric8.kubernetes.client.extended.leaderelection.LeaderElectionConfigBuilder;
import io.fabric8.kubernetes.client.extended.leaderelection.resourcelock.LeaseLock;
import io.fabric8.kubernetes.client.extended.run.RunConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.okhttp.OkHttpClientFactory;
import io.fabric8.kubernetes.client.vertx5.Vertx5HttpClientFactory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

public final class Fabric8Client {
  private static final Map<String, HttpClient.Factory> FACTORIES =
      Map.of("vertx", new Vertx5HttpClientFactory(), "okhttp", new OkHttpClientFactory());
  private static final int DEADLINE_SECONDS = 60;
  private static final int POLL_MS = 20;
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int UNPROCESSABLE = 422;

  /** A program that prints its port, and answers in capitals. */
  private static final String SHOUTING =
      """
      require("net").createServer((socket) => socket.once("data", (data) => socket.end(String(data).toUpperCase())))
        .listen(0, "127.0.0.1", function () { console.log(this.address().port); });
      """;

  private final String transport;
  private final KubernetesClient client;

  private Fabric8Client(String transport, HttpClient.Factory factory) {
    this.transport = transport;
    // The client sends a request again that takes longer, which a busy machine makes it do.
    int requestTimeoutMs = (int) TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS);
    Config config =
        new ConfigBuilder(Config.autoConfigure(null))
            .withNamespace(transport)
            .withRequestTimeout(requestTimeoutMs)
            .withConnectionTimeout(requestTimeoutMs)
            .build();
    client = new KubernetesClientBuilder().withConfig(config).withHttpClientFactory(factory).build();
  }

  /** The names of transports. */
  public static void main(String[] transports) {
    for (String transport : transports) new Fabric8Client(transport, FACTORIES.get(transport)).run();
    System.exit(0);
  }

  private interface Step {
    void run() throws Exception;
  }

  private void step(String name, Step step) {
    try {
      step.run();
      System.out.println("ok " + transport + " " + name);
    } catch (Exception | AssertionError error) {
      System.out.println("failed " + transport + " " + name + ": " + error);
      error.printStackTrace();
    }
    System.out.flush();
  }

  private void run() {
    step("version and discovery", this::discover);
    step("create a Job and wait for its end", this::runJob);
    step("logs", this::readLogs);
    step("watchLog of a container that runs", this::followLog);
    step("a Job that fails", this::failJob);
    step("watch", this::watch);
    step("informer", this::inform);
    step("lists in pieces, labels and fields", this::list);
    step("server-side apply, its conflict, and force", this::apply);
    step("edit, scale and three kinds of patches", this::change);
    step("an update of a stale object", this::conflict);
    step("suspend and resume", this::suspend);
    step("objects of a manifest, and generic ones", this::load);
    step("CronJob, events and an access review", this::readOthers);
    step("leader election", this::elect);
    step("run", this::runPod);
    step("exec, its output, input and status", this::exec);
    step("port-forward", this::forward);
    step("evict", this::evict);
    step("delete in the foreground, and wait", this::delete);
    step("delete collections", this::deleteCollections);
    client.close();
  }

  private void discover() {
    client.resource(new NamespaceBuilder().withNewMetadata().withName(transport).endMetadata().build()).create();
    expect("v1.37.2", client.getKubernetesVersion().getGitVersion());
    check(client.supports(Job.class) && client.supports(CronJob.class), "Jobs are not supported");
    check(client.hasApiGroup("batch", true) && !client.hasApiGroup("nothing.example", false), "groups");
    check(client.getApiResources("batch/v1").getResources().stream().anyMatch(r -> r.getName().equals("jobs")), "jobs");
  }

  private void runJob() {
    Job created = jobs().resource(job("runs", "echo first; echo last")).create();
    expect(0, created.getSpec().getBackoffLimit());
    expect(1, waitForJob("runs", "Complete").getStatus().getSucceeded());
  }

  private void readLogs() {
    expect("first\nlast\n", job("runs").getLog());
    String pod = podsOf("runs").get(0).getMetadata().getName();
    expect("last\n", client.pods().withName(pod).tailingLines(1).getLog());
  }

  private void followLog() throws Exception {
    Path seen = Files.createTempDirectory("fabric8").resolve("seen");
    jobs().resource(job("follows", "echo begun; until [ -e " + seen + " ]; do sleep 0.1; done; echo done")).create();
    Pod pod = waitFor("a pod", () -> podsOf("follows"), pods -> pods.stream().anyMatch(this::isRunning)).get(0);
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    try (LogWatch log = pod(pod).watchLog(output)) {
      until("the log begins", () -> output.toString().equals("begun\n"));
      Files.createFile(seen);
      until("the log goes on", () -> output.toString().equals("begun\ndone\n"));
    }
    waitForJob("follows", "Complete");
  }

  private void failJob() {
    jobs().resource(job("fails", "exit 2")).create();
    Job failed = waitForJob("fails", "Failed");
    var conditions = failed.getStatus().getConditions();
    check(conditions.stream().anyMatch(c -> "BackoffLimitExceeded".equals(c.getReason())), "" + conditions);
  }

  private void watch() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    Watcher<ConfigMap> watcher =
        new Watcher<>() {
          @Override
          public void eventReceived(Action action, ConfigMap map) {
            seen.add(action + " " + map.getMetadata().getName());
          }

          @Override
          public void onClose(WatcherException error) {
            seen.add("broken: " + error);
          }

          @Override
          public void onClose() {
            seen.add("closed");
          }
        };
    Watch watch = client.configMaps().withLabel("in", "watch").watch(watcher);
    client.resource(configMap("watched", Map.of(), Map.of("in", "watch"))).create();
    client.resource(configMap("not-watched", Map.of(), Map.of())).create();
    client.configMaps().withName("watched").edit(map -> new ConfigMapBuilder(map).addToData("a", "1").build());
    client.configMaps().withName("watched").delete();
    for (String event : List.of("ADDED watched", "MODIFIED watched", "DELETED watched")) expect(event, next(seen));
    watch.close();
    expect("closed", next(seen));
  }

  private void inform() throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    ResourceEventHandler<Job> handler =
        new ResourceEventHandler<>() {
          @Override
          public void onAdd(Job job) {
            seen.add("added");
          }

          @Override
          public void onUpdate(Job before, Job job) {
            if (hasCondition(job, "Complete")) seen.add("complete");
          }

          @Override
          public void onDelete(Job job, boolean isUnknown) {
            seen.add("deleted");
          }
        };
    try (var informer = jobs().withLabel("name", "informs").inform(handler)) {
      jobs().resource(job("informs", "true")).create();
      expect("added", next(seen));
      expect("complete", next(seen));
      expect(1, informer.getStore().list().size());
      job("informs").delete();
      while (!"deleted".equals(next(seen))) check(seen.size() < 100, "the Job is not deleted");
    }
    var pods = client.pods().withLabel("name", "runs").runnableInformer(0).initialState(Stream.empty());
    pods.start().toCompletableFuture().get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    expect(1, pods.getStore().list().size());
    pods.stop();
  }

  private void list() {
    for (int number = 0; number < 5; number++) {
      client.resource(configMap("piece-" + number, Map.of(), Map.of("in", "pieces"))).create();
    }
    var pieces = client.configMaps().withLabel("in", "pieces");
    var first = pieces.list(new ListOptionsBuilder().withLimit(2L).build());
    expect(2, first.getItems().size());
    String more = first.getMetadata().getContinue();
    expect(3, pieces.list(new ListOptionsBuilder().withContinue(more).build()).getItems().size());
    expect(1, client.configMaps().withField("metadata.name", "piece-3").list().getItems().size());
    var filter = client.configMaps().withNewFilter().withLabelIn("in", "pieces", "others");
    expect(4, filter.withoutField("metadata.name", "piece-3").endFilter().list().getItems().size());
  }

  private void apply() {
    client.resource(configMap("applied", Map.of("a", "1"), Map.of())).fieldManager("one").serverSideApply();
    ConfigMap other = configMap("applied", Map.of("a", "2"), Map.of());
    refused(CONFLICT, () -> client.resource(other).fieldManager("two").serverSideApply());
    ConfigMap forced = client.resource(other).fieldManager("two").forceConflicts().serverSideApply();
    expect(Map.of("a", "2"), forced.getData());
    expect("two", forced.getMetadata().getManagedFields().get(0).getManager());
  }

  private void change() {
    UnaryOperator<Job> annotate =
        job -> new JobBuilder(job).editMetadata().addToAnnotations("e", "1").endMetadata().build();
    expect("1", job("runs").edit(annotate).getMetadata().getAnnotations().get("e"));
    job("runs").patch(PatchContext.of(PatchType.STRATEGIC_MERGE), "{\"metadata\":{\"annotations\":{\"s\":\"1\"}}}");
    String add = "[{\"op\":\"add\",\"path\":\"/metadata/annotations/j\",\"value\":\"1\"}]";
    job("runs").patch(PatchContext.of(PatchType.JSON), add);
    String remove = "{\"metadata\":{\"annotations\":{\"s\":null}}}";
    Job patched = job("runs").patch(PatchContext.of(PatchType.JSON_MERGE), remove);
    Map<String, String> left = patched.getMetadata().getAnnotations();
    check(left.containsKey("j") && !left.containsKey("s"), "" + left);
    Job none = new JobBuilder(job("scales", "sleep 600")).editSpec().withParallelism(0).endSpec().build();
    jobs().resource(none).create();
    expect(1, job("scales").scale(1).getSpec().getParallelism());
    waitFor("a pod", () -> podsOf("scales"), pods -> pods.size() == 1 && isRunning(pods.get(0)));
  }

  private void conflict() {
    client.resource(configMap("stale", Map.of("a", "1"), Map.of())).create();
    ConfigMap stale = client.configMaps().withName("stale").get();
    String version = stale.getMetadata().getResourceVersion();
    ConfigMap changed = new ConfigMapBuilder(stale).addToData("a", "2").build();
    client.resource(changed).lockResourceVersion(version).update();
    refused(CONFLICT, () -> client.resource(changed).lockResourceVersion(version).update());
    refused(NOT_FOUND, () -> client.resource(configMap("missing", Map.of(), Map.of())).update());
    refused(UNPROCESSABLE, () -> jobs().resource(job("Refused", "true")).create());
    ConfigMap other = configMap("stale", Map.of("b", "1"), Map.of());
    expect(Map.of("b", "1"), client.resource(other).createOr(NonDeletingOperation::update).getData());
  }

  private void suspend() {
    jobs().resource(new JobBuilder(job("waits", "true")).editSpec().withSuspend(true).endSpec().build()).create();
    waitForJob("waits", "Suspended");
    job("waits").edit(job -> new JobBuilder(job).editSpec().withSuspend(false).endSpec().build());
    expect(1, waitForJob("waits", "Complete").getStatus().getSucceeded());
  }

  private void load() {
    String manifest =
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: { name: loaded }
        data: { a: b }
        ---
        apiVersion: batch/v1
        kind: Job
        metadata: { name: loaded }
        spec:
          suspend: true
          template:
            spec:
              restartPolicy: Never
              containers: [{ name: main, image: busybox }]
        """;
    InputStream text = new ByteArrayInputStream(manifest.getBytes(StandardCharsets.UTF_8));
    expect(2, client.load(text).create().size());
    var generic = client.genericKubernetesResources("batch/v1", "Job").withName("loaded").get();
    expect(true, generic.get("spec", "suspend"));
  }

  private void readOthers() {
    CronJob daily =
        new CronJobBuilder()
            .withNewMetadata().withName("daily").endMetadata()
            .withNewSpec().withSchedule("0 3 * * *")
            .withNewJobTemplate().withSpec(job("daily", "true").getSpec()).endJobTemplate()
            .endSpec()
            .build();
    expect("Allow", client.batch().v1().cronjobs().resource(daily).create().getSpec().getConcurrencyPolicy());
    var events = client.v1().events().withField("involvedObject.name", "runs").list().getItems();
    check(events.stream().anyMatch(event -> "Completed".equals(event.getReason())), "" + events);
    var review =
        new io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder()
            .withNewSpec().withNewResourceAttributes().withVerb("create").withGroup("batch").withResource("jobs")
            .endResourceAttributes().endSpec()
            .build();
    expect(true, client.authorization().v1().selfSubjectAccessReview().create(review).getStatus().getAllowed());
  }

  private void elect() throws Exception {
    BlockingQueue<String> leads = new LinkedBlockingQueue<>();
    CompletableFuture<?> first = candidate("one", leads);
    expect("one leads", next(leads));
    CompletableFuture<?> second = candidate("two", leads);
    first.cancel(true);
    expect("one stops", next(leads));
    expect("two leads", next(leads));
    expect("two", client.leases().withName("leader").get().getSpec().getHolderIdentity());
    second.cancel(true);
    expect("two stops", next(leads));
  }

  private CompletableFuture<?> candidate(String name, BlockingQueue<String> leads) {
    Runnable begins = () -> leads.add(name + " leads");
    var callbacks = new LeaderCallbacks(begins, () -> leads.add(name + " stops"), leader -> {});
    var config =
        new LeaderElectionConfigBuilder()
            .withName("leader")
            .withLeaseDuration(Duration.ofSeconds(15))
            .withRenewDeadline(Duration.ofSeconds(10))
            .withRetryPeriod(Duration.ofMillis(200))
            .withLock(new LeaseLock(transport, "leader", name))
            .withLeaderCallbacks(callbacks)
            .withReleaseOnCancel(true)
            .build();
    return client.leaderElector().withConfig(config).build().start();
  }

  private void runPod() {
    var config =
        new RunConfigBuilder()
            .withName("ran").withImage("busybox")
            .withCommand("sh").withArgs("-c", "echo ran")
            .withRestartPolicy("Never")
            .build();
    client.run().inNamespace(transport).withRunConfig(config).done();
    waitFor("the end of the pod", () -> client.pods().withName("ran").get(), pod -> phase(pod).equals("Succeeded"));
    expect("ran\n", client.pods().withName("ran").getLog());
  }

  private void exec() throws Exception {
    startPod("executes", "sleep", "600");
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    ByteArrayOutputStream err = new ByteArrayOutputStream();
    var pod = client.pods().withName("executes");
    try (ExecWatch said = pod.writingOutput(out).writingError(err).exec("sh", "-c", "echo out; echo err >&2; exit 7")) {
      expect(7, said.exitCode().get(DEADLINE_SECONDS, TimeUnit.SECONDS));
    }
    expect("out\n", out.toString());
    expect("err\n", err.toString());
    ByteArrayOutputStream answer = new ByteArrayOutputStream();
    try (ExecWatch reads = pod.redirectingInput().writingOutput(answer).exec("sh", "-c", "read x; echo got $x")) {
      reads.getInput().write("it\n".getBytes(StandardCharsets.UTF_8));
      reads.getInput().flush();
      expect(0, reads.exitCode().get(DEADLINE_SECONDS, TimeUnit.SECONDS));
    }
    expect("got it\n", answer.toString());
  }

  private void forward() throws Exception {
    startPod("listens", "node", "-e", SHOUTING);
    var pod = client.pods().withName("listens");
    String port = waitFor("the port", () -> pod.getLog().strip(), log -> !log.isEmpty());
    try (LocalPortForward forward = pod.portForward(Integer.parseInt(port));
        Socket socket = new Socket("127.0.0.1", forward.getLocalPort())) {
      socket.setSoTimeout((int) TimeUnit.SECONDS.toMillis(DEADLINE_SECONDS));
      socket.getOutputStream().write('a');
      expect((int) 'A', socket.getInputStream().read());
      expect(-1, socket.getInputStream().read());
    }
  }

  private void evict() {
    Pod pod = podsOf("scales").get(0);
    check(pod(pod).evict(), "it was not evicted");
    waitFor("another pod", () -> podsOf("scales"), pods -> pods.stream().noneMatch(one -> isSame(one, pod)));
  }

  private void delete() {
    job("scales")
        .withPropagationPolicy(DeletionPropagation.FOREGROUND)
        .withTimeout(DEADLINE_SECONDS, TimeUnit.SECONDS)
        .delete();
    expect(null, job("scales").get());
    expect(List.of(), podsOf("scales"));
  }

  private void deleteCollections() {
    jobs().delete();
    client.batch().v1().cronjobs().delete();
    client.pods().withGracePeriod(0).delete();
    waitFor("the end of all Jobs", () -> jobs().list().getItems(), List::isEmpty);
    waitFor("the end of all pods", () -> client.pods().list().getItems(), List::isEmpty);
  }

  private io.fabric8.kubernetes.client.dsl.MixedOperation<
          Job, io.fabric8.kubernetes.api.model.batch.v1.JobList, ScalableResource<Job>>
      jobs() {
    return client.batch().v1().jobs();
  }

  private ScalableResource<Job> job(String name) {
    return jobs().withName(name);
  }

  private PodResource pod(Pod pod) {
    return client.pods().withName(pod.getMetadata().getName());
  }

  private List<Pod> podsOf(String job) {
    return client.pods().withLabel("batch.kubernetes.io/job-name", job).list().getItems();
  }

  private void startPod(String name, String... command) {
    Pod pod =
        new PodBuilder()
            .withNewMetadata().withName(name).endMetadata()
            .withNewSpec()
            .addNewContainer().withName("main").withImage("busybox").withCommand(command).endContainer()
            .endSpec()
            .build();
    client.resource(pod).create();
    client.pods().withName(name).waitUntilReady(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static Job job(String name, String script) {
    return new JobBuilder()
        .withNewMetadata().withName(name).addToLabels("name", name).endMetadata()
        .withNewSpec().withBackoffLimit(0)
        .withNewTemplate()
        .withNewMetadata().addToLabels("name", name).endMetadata()
        .withNewSpec().withRestartPolicy("Never")
        .addNewContainer().withName("main").withImage("busybox").withCommand("sh", "-c", script).endContainer()
        .endSpec()
        .endTemplate()
        .endSpec()
        .build();
  }

  private static ConfigMap configMap(String name, Map<String, String> data, Map<String, String> labels) {
    return new ConfigMapBuilder()
        .withNewMetadata().withName(name).withLabels(labels).endMetadata()
        .withData(data)
        .build();
  }

  private Job waitForJob(String name, String condition) {
    return job(name).waitUntilCondition(job -> hasCondition(job, condition), DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static boolean hasCondition(Job job, String type) {
    return job != null
        && job.getStatus() != null
        && job.getStatus().getConditions().stream()
            .anyMatch(condition -> condition.getType().equals(type) && condition.getStatus().equals("True"));
  }

  private boolean isRunning(Pod pod) {
    return phase(pod).equals("Running");
  }

  private static String phase(Pod pod) {
    return pod == null || pod.getStatus() == null ? "" : String.valueOf(pod.getStatus().getPhase());
  }

  private static boolean isSame(Pod one, Pod other) {
    return one.getMetadata().getUid().equals(other.getMetadata().getUid());
  }

  private static <T> T waitFor(
      String what, java.util.function.Supplier<T> read, java.util.function.Predicate<T> isReached) {
    List<T> last = new ArrayList<>();
    until(what, () -> {
      last.clear();
      last.add(read.get());
      return isReached.test(last.get(0));
    });
    return last.get(0);
  }

  private static void until(String what, BooleanSupplier isSo) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
    while (!isSo.getAsBoolean()) {
      check(System.nanoTime() < end, what + " has not come");
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException error) {
        throw new IllegalStateException(error);
      }
    }
  }

  private static String next(BlockingQueue<String> queue) throws InterruptedException {
    return queue.poll(DEADLINE_SECONDS, TimeUnit.SECONDS);
  }

  private static void refused(int code, Runnable call) {
    try {
      call.run();
    } catch (KubernetesClientException error) {
      expect(code, error.getCode());
      return;
    }
    throw new AssertionError("it was not refused with " + code);
  }

  private static void expect(Object expected, Object actual) {
    check(java.util.Objects.equals(expected, actual), "expected " + expected + ", and it is " + actual);
  }

  private static void check(boolean isSo, String what) {
    if (!isSo) throw new AssertionError(what);
  }
}
