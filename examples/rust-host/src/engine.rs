//! The engine, as bindings/ABI.md says it is to be called: bytes in by `reserve`, frames out, and a trap ends it.
use std::{error::Error, sync::atomic::AtomicU64, sync::atomic::Ordering, time::Instant};
use wasmi::{Instance, Linker, Memory, Module, Store, WasmParams, WasmResults};

pub static SPENT_NS: AtomicU64 = AtomicU64::new(0);
pub type Outcome<T> = Result<T, Box<dyn Error>>;

pub struct Engine {
    store: Store<()>,
    instance: Instance,
    memory: Memory,
    trap: Option<String>,
}

pub struct Request {
    pub id: f64,
    pub method: &'static str,
    /// Path, Accept, Content-Type, body.
    pub parts: [Vec<u8>; 4],
    pub decision: usize,
}

impl Engine {
    pub fn new(module: &Module) -> Outcome<Self> {
        let mut store = Store::new(module.engine(), ());
        let instance = Linker::new(module.engine()).instantiate_and_start(&mut store, module)?;
        let version = |name| instance.get_global(&store, name).and_then(|global| global.get(&store).i32());
        let (major, minor) = (version("abi_version").unwrap_or(0), version("abi_minor_version").unwrap_or(0));
        if major != 1 || minor < 5 {
            return Err(format!("the module has ABI {major}.{minor}, and this host needs 1.5 or a later 1").into());
        }
        let memory = instance.get_memory(&store, "memory").ok_or("the module has no memory")?;
        Ok(Engine { store, instance, memory, trap: None })
    }

    /// The code, as of `ingest` and `settle`: what to do about one that is not 0 is the caller's.
    pub fn configure(&mut self, configuration: &[u8]) -> Outcome<i32> {
        let input = self.put(configuration)?;
        self.call("configure", input)
    }

    pub fn clock(&mut self, offset_ms: f64) -> Outcome<()> {
        self.call("clock", offset_ms)
    }

    /// The answer of `review`, `verdict` and the like. `now` goes to those that take one.
    pub fn ask(&mut self, name: &str, input: &[u8], now: Option<f64>) -> Outcome<Vec<u8>> {
        let (at, length) = self.put(input)?;
        let frame = match now {
            Some(now) => self.call(name, (at, length, now))?,
            None => self.call(name, (at, length))?,
        };
        self.take(frame)
    }

    pub fn ingest(&mut self, source: i32, kind: i32, input: &[u8], now: f64) -> Outcome<i32> {
        let (at, length) = self.put(input)?;
        self.call("ingest", (source, kind, at, length, now))
    }

    pub fn settle(&mut self, id: f64, status: i32, retry_after_ms: f64, body: &[u8], now: f64) -> Outcome<i32> {
        let (at, length) = self.put(body)?;
        self.call("settle", (id, status, retry_after_ms, at, length, now))
    }

    /// The requests to send, when to poll again, and the decisions: a JSON array, empty if there are none.
    pub fn poll(&mut self, now: f64, max_requests: i32) -> Outcome<(Vec<Request>, f64, Vec<u8>)> {
        let frame = self.call("poll", (now, max_requests))?;
        let frame = self.take(frame)?;
        let size = |at: usize| u32::from_le_bytes(frame[at..at + 4].try_into().unwrap()) as usize;
        let number = |at: usize| f64::from_le_bytes(frame[at..at + 8].try_into().unwrap());
        let (mut requests, mut at) = (Vec::new(), 16);
        for _ in 0..size(0) {
            let (id, method) = (number(at), ["", "GET", "POST", "PUT", "PATCH", "DELETE"][size(at + 8)]);
            let (sizes, decision) = ([12, 16, 20, 24].map(|offset| size(at + offset)), size(at + 28));
            at += 32;
            let parts = sizes.map(|size| (frame[at..at + size].to_vec(), at += size).0);
            requests.push(Request { id, method, parts, decision });
            at = at.next_multiple_of(8);
        }
        Ok((requests, number(8), frame[at..at + size(4)].to_vec()))
    }

    pub fn read(&mut self, name: &str) -> Outcome<Vec<u8>> {
        let frame = self.call(name, ())?;
        self.copy(frame)
    }

    fn call<P: WasmParams, R: WasmResults>(&mut self, name: &str, parameters: P) -> Outcome<R> {
        if let Some(trap) = &self.trap {
            return Err(trap.clone().into());
        }
        let function = self.instance.get_typed_func::<P, R>(&self.store, name)?;
        let start = Instant::now();
        let outcome = function.call(&mut self.store, parameters);
        SPENT_NS.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
        match outcome {
            Ok(result) => Ok(result),
            Err(trap) => {
                let message = String::from_utf8(self.read("trap_message")?)?;
                Err(self.trap.insert(format!("the engine has trapped: {trap}: {message}")).clone().into())
            }
        }
    }

    fn put(&mut self, input: &[u8]) -> Outcome<(i32, i32)> {
        if input.len() > 64 << 20 {
            return Err(format!("an input has {} bytes, and 64 MiB are allowed", input.len()).into());
        }
        let at: i32 = self.call("reserve", input.len() as i32)?;
        self.memory.write(&mut self.store, at as u32 as usize, input)?;
        Ok((at, input.len() as i32))
    }

    /// 0 in the place of a result is a refusal.
    fn take(&mut self, frame: i32) -> Outcome<Vec<u8>> {
        if frame == 0 { Err(String::from_utf8(self.read("last_error")?)?.into()) } else { self.copy(frame) }
    }

    fn copy(&self, frame: i32) -> Outcome<Vec<u8>> {
        let (at, mut length) = (frame as u32 as usize, [0; 4]);
        self.memory.read(&self.store, at, &mut length)?;
        let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
        self.memory.read(&self.store, at + 4, &mut bytes)?;
        Ok(bytes)
    }
}
