//! Talks to the cluster of $KUBECONFIG as a program with kube-rs does, step by step; prints `ok` and the name of each
//! step, and ends at the first that fails.
use anyhow::{Context, Result, bail, ensure};
use futures::{AsyncBufReadExt, StreamExt, TryStreamExt};
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Pod;
use kube::api::{Api, AttachParams, DeleteParams, ListParams, LogParams, Patch, PatchParams, PostParams};
use kube::runtime::wait::{Condition, await_condition, conditions};
use kube::runtime::{WatchStreamExt, watcher};
use kube::{Client, ResourceExt};
use serde_json::json;
use tokio::io::AsyncReadExt;

fn job(name: &str, command: &str) -> Result<Job> {
    Ok(serde_json::from_value(json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": name },
        "spec": { "template": { "spec": {
            "restartPolicy": "Never",
            "containers": [{ "name": "main", "image": "busybox", "command": ["sh", "-c", command] }],
        } } },
    }))?)
}

fn done(step: &str) {
    println!("ok {step}");
}

async fn running_pod(pods: &Api<Pod>, selector: watcher::Config) -> Result<String> {
    let mut changes = watcher(pods.clone(), selector).applied_objects().boxed();
    loop {
        let Some(pod) = changes.try_next().await? else { bail!("the watch ended") };
        if conditions::is_pod_running().matches_object(Some(&pod)) {
            return Ok(pod.name_any());
        }
    }
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<()> {
    let client = Client::try_default().await?;
    let jobs: Api<Job> = Api::default_namespaced(client.clone());
    let pods: Api<Pod> = Api::default_namespaced(client.clone());

    let version = client.apiserver_version().await?;
    ensure!(version.git_version.starts_with("v1.37."), "it is {}", version.git_version);
    let discovered = kube::discovery::group(&client, "batch").await?;
    let (resource, _) = discovered.recommended_kind("Job").context("no Job in the discovery")?;
    ensure!(resource.plural == "jobs");
    done("version and discovery");

    // Watched from before it is there.
    let watched = watcher(jobs.clone(), watcher::Config::default().fields("metadata.name=talk"));
    let mut applied = watched.applied_objects().boxed();
    let created = jobs.create(&PostParams::default(), &job("talk", "echo one; sleep 1; echo two")?).await?;
    ensure!(created.uid().is_some() && created.spec.is_some_and(|spec| spec.backoff_limit == Some(6)));
    let mut seen = 0;
    loop {
        let Some(job) = applied.try_next().await? else { bail!("the watch ended") };
        seen += 1;
        if conditions::is_job_completed().matches_object(Some(&job)) {
            break;
        }
    }
    ensure!(seen > 2, "only {seen} states of the Job were seen");
    done("create a Job, watch it to its end");

    let selector = ListParams::default().labels("job-name=talk");
    let pod = pods.list(&selector).await?.items.pop().context("the Job has no pod")?.name_any();
    ensure!(pods.logs(&pod, &LogParams::default()).await? == "one\ntwo\n");
    let tail = LogParams { tail_lines: Some(1), timestamps: true, ..LogParams::default() };
    ensure!(pods.logs(&pod, &tail).await?.ends_with("Z two\n"));
    done("logs");

    jobs.create(&PostParams::default(), &job("follow", "echo begun; sleep 1; echo ended")?).await?;
    let selector = watcher::Config::default().labels("job-name=follow");
    let pod = running_pod(&pods, selector).await?;
    let followed = pods.log_stream(&pod, &LogParams { follow: true, ..LogParams::default() }).await?;
    let lines: Vec<String> = followed.lines().try_collect().await?;
    ensure!(lines == ["begun", "ended"], "the log was {lines:?}");
    await_condition(jobs.clone(), "follow", conditions::is_job_completed()).await?;
    done("follow a log to its end");

    let suspended = |value: bool| {
        json!({ "apiVersion": "batch/v1", "kind": "Job", "metadata": { "name": "applied" }, "spec": {
            "suspend": value,
            "template": { "spec": {
                "restartPolicy": "Never",
                "containers": [{ "name": "main", "image": "busybox", "command": ["true"] }],
            } },
        } })
    };
    jobs.patch("applied", &PatchParams::apply("one"), &Patch::Apply(suspended(true))).await?;
    match jobs.patch("applied", &PatchParams::apply("two"), &Patch::Apply(suspended(false))).await {
        Err(kube::Error::Api(status)) if status.code == 409 => {
            ensure!(status.message.contains("conflict with \"one\""), "{}", status.message);
        }
        other => bail!("a conflict was expected, and came {other:?}"),
    }
    let forced = PatchParams::apply("two").force();
    jobs.patch("applied", &forced, &Patch::Apply(suspended(false))).await?;
    await_condition(jobs.clone(), "applied", conditions::is_job_completed()).await?;
    done("server-side apply, its conflict, and force");

    let merged = json!({ "metadata": { "annotations": { "note": "kept" } } });
    let patched = jobs.patch("talk", &PatchParams::default(), &Patch::Merge(merged)).await?;
    ensure!(patched.annotations().get("note").map(String::as_str) == Some("kept"));
    let mut stale = patched.clone();
    stale.metadata.resource_version = created.metadata.resource_version;
    match jobs.replace("talk", &PostParams::default(), &stale).await {
        Err(kube::Error::Api(status)) if status.code == 409 && status.reason == "Conflict" => {}
        other => bail!("a conflict was expected, and came {other:?}"),
    }
    ensure!(jobs.get_opt("absent").await?.is_none());
    done("patch, a stale update, and what is not there");

    jobs.create(&PostParams::default(), &job("shell", "exec sleep 1000")?).await?;
    let selector = watcher::Config::default().labels("job-name=shell");
    let pod = running_pod(&pods, selector).await?;
    let mut exec = pods.exec(&pod, ["sh", "-c", "echo inside; exit 3"], &AttachParams::default().stderr(false)).await?;
    let mut said = String::new();
    exec.stdout().context("no output")?.read_to_string(&mut said).await?;
    ensure!(said == "inside\n", "it said {said:?}");
    let status = exec.take_status().context("no status")?.await.context("it ended without a status")?;
    ensure!(status.reason.as_deref() == Some("NonZeroExitCode"), "it ended with {status:?}");
    jobs.delete("shell", &DeleteParams::background()).await?;
    done("exec, its output and its status");

    let uid = patched.uid().context("no uid")?;
    jobs.delete("talk", &DeleteParams::foreground()).await?;
    await_condition(jobs.clone(), "talk", conditions::is_deleted(&uid)).await?;
    ensure!(pods.list(&ListParams::default().labels("job-name=talk")).await?.items.is_empty());
    done("delete, with the pods");
    Ok(())
}
