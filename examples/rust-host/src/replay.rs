//! Repeats the calls and questions of a recording; everything must end as it did then.
use crate::engine::{Engine, Outcome};
use serde_json::{Value, from_slice, from_str, json};
use sha2::{Digest, Sha256};

/// `readings`: a JSON array of what each engine must say at its end; absent members are not compared.
pub fn replay(module: &wasmi::Module, lines: &str, readings: &str) -> Outcome<String> {
    let readings: Value = from_str(readings)?;
    let (mut engine, mut engines) = (Engine::new(module)?, 0);
    for (at, line) in lines.lines().enumerate() {
        let entry: Value = from_str(line)?;
        if at == 0 {
            require(
                entry["format"] == "stint.recording" && entry["version"] == 1,
                "this is no recording of version 1",
            )?;
            continue;
        }
        let is_configure = entry["call"] == "configure";
        if (is_configure || entry["call"] == "end") && at > 1 && !readings[engines - 1].is_null() {
            compare_readings(&mut engine, &readings[engines - 1])?;
        }
        if is_configure {
            (engine, engines) = (Engine::new(module)?, engines + 1);
        } else if entry["call"] == "end" {
            return Ok(format!("{engines} engines did the same in {} calls", at - 1));
        }
        for (key, value) in play(&mut engine, &entry)?.as_object().into_iter().flatten() {
            require(*value == entry[key], &format!("line {}: {key} is {value}, recorded is {}", at + 1, entry[key]))?;
        }
    }
    Err("the recording has no end".into())
}

/// Makes one call. What comes of it is returned in the words of a recording.
fn play(engine: &mut Engine, entry: &Value) -> Outcome<Value> {
    let number = |name: &str| entry[name].as_f64().unwrap_or(f64::NAN);
    let (input, now) = (entry["text"].as_str().unwrap_or_default().as_bytes(), number("now"));
    let code = match entry["call"].as_str().unwrap_or_default() {
        "configure" => engine.configure(entry["configuration"].to_string().as_bytes())?,
        "clock" => return engine.clock(number("offsetMs")).map(|()| Value::Null),
        "ingest" => engine.ingest(number("source") as i32, number("kind") as i32, input, now)?,
        "settle" => engine.settle(number("id"), number("status") as i32, number("retryAfterMs"), input, now)?,
        "poll" => return short_form(engine, now, number("max") as i32),
        other => return Err(format!("\"{other}\" is no call").into()),
    };
    Ok(json!({"code": code}))
}

fn short_form(engine: &mut Engine, now: f64, max: i32) -> Outcome<Value> {
    let (requests, wake_up, decisions) = engine.poll(now, max)?;
    let requests = requests.iter().map(|request| {
        let [path, accept, content_type, body] = request.parts.each_ref().map(|part| String::from_utf8_lossy(part));
        let sha256 = sha256(format!("{}\n{accept}\n{content_type}\n{body}", request.id).as_bytes());
        let mut short = vec![json!(request.method), json!(path), json!(sha256)];
        short.extend((request.decision > 0).then(|| json!(request.decision)));
        json!(short)
    });
    let wake_up = wake_up.is_finite().then_some(wake_up as u64);
    let decisions = (!decisions.is_empty()).then(|| sha256(&decisions));
    Ok(json!({"requests": requests.collect::<Value>(), "wakeUp": wake_up, "decisions": decisions}))
}

fn compare_readings(engine: &mut Engine, readings: &Value) -> Outcome<()> {
    for (job, explanation) in readings["explanations"].as_object().into_iter().flatten() {
        let said: Value = from_slice(&engine.ask("explain", job.as_bytes(), None)?)?;
        require(said == *explanation, &format!("{said} is explained, and should be {explanation}"))?;
    }
    require(from_slice::<Value>(&engine.read("metrics")?)? == readings["metrics"], "the metrics are not the same")
}

/// Each line is a question and its answer, or its refusal, and the configuration of the engine, if it has one.
pub fn compare_answers(module: &wasmi::Module, lines: &str) -> Outcome<String> {
    for line in lines.lines() {
        let entry: Value = from_str(line)?;
        let (question, input) = (entry["question"].as_str().unwrap_or(""), entry["input"].as_str().unwrap_or(""));
        let mut engine = Engine::new(module)?;
        entry.get("configuration").map(|it| engine.configure(it.to_string().as_bytes())).transpose()?;
        let said = match engine.ask(question, input.as_bytes(), entry["now"].as_f64()) {
            Ok(answer) => json!({"answer": String::from_utf8(answer)?}),
            Err(refusal) => json!({"refusal": refusal.to_string()}),
        };
        require(["answer", "refusal"].iter().all(|key| said[key] == entry[key]), &format!("{said} is said to {line}"))?;
    }
    Ok(format!("{} answers are the same", lines.lines().count()))
}

fn require(holds: bool, message: &str) -> Outcome<()> {
    if holds { Ok(()) } else { Err(message.into()) }
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
