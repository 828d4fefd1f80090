//! Headless Chromium in real time, through its debugging protocol: workers compute for as long as they need, which the
//! virtual time of `--dump-dom` does not wait for.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// How long the browser may be silent: a ranking takes a minute, and more on a busy machine.
const SILENCE: Duration = Duration::from_secs(900);

/// A page in a browser of its own, which ends with it.
pub(super) struct OpenPage {
    browser: Child,
    socket: TcpStream,
    session: String,
    calls: u64,
    /// What reached the console: messages, exceptions, and what the browser itself complained of.
    pub(super) console: Vec<String>,
    _profile: tempfile::TempDir,
}

impl Drop for OpenPage {
    fn drop(&mut self) {
        // Where it has ended already there is nothing to end.
        let _ = self.browser.kill();
        let _ = self.browser.wait();
    }
}

impl OpenPage {
    /// Starts a browser with the network off, on an empty page.
    pub(super) fn new(program: &std::path::Path) -> Self {
        let profile = tempfile::tempdir().expect("a temporary folder");
        let mut browser = Command::new(program)
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--proxy-server=127.0.0.1:9",
                "--remote-debugging-port=0",
                "--window-size=1280,900",
                "about:blank",
            ])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .expect("Chromium starts");
        let mut said = BufReader::new(browser.stderr.take().expect("a pipe"));
        let mut line = String::new();
        let address = loop {
            line.clear();
            let read = said.read_line(&mut line).expect("readable");
            assert!(read > 0, "Chromium ended without an address");
            if let Some((_, address)) = line.split_once("listening on ws://") {
                break address.trim().to_owned();
            }
        };
        // A full pipe would stop the browser.
        std::thread::spawn(move || std::io::copy(&mut said, &mut std::io::sink()));
        let (host, path) = address.split_once('/').expect("a path");
        let mut socket = TcpStream::connect(host).expect("the browser listens");
        socket.set_read_timeout(Some(SILENCE)).expect("a time-out");
        write!(
            socket,
            "GET /{path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Key: d29yZGxpbmUgcGxheWdyb3VuZA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        )
        .expect("written");
        let mut page = Self {
            browser,
            socket,
            session: String::new(),
            calls: 0,
            console: Vec::new(),
            _profile: profile,
        };
        page.skip_answer();
        let target = page.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let session = page.call("Target.attachToTarget", attach);
        page.session = session["sessionId"].as_str().expect("a session").to_owned();
        for domain in ["Runtime", "Log", "Page", "DOM"] {
            page.call(&format!("{domain}.enable"), json!({}));
        }
        page
    }

    /// Goes to an address and waits until it is loaded.
    pub(super) fn go(&mut self, address: &str) {
        self.call("Page.navigate", json!({ "url": address }));
        let loaded = "new Promise((done) => document.readyState === 'complete' ? done(1) : addEventListener('load', () => done(1)))";
        self.evaluate(loaded);
    }

    /// The value of an expression, of a promise what it resolves with.
    pub(super) fn evaluate(&mut self, expression: &str) -> Value {
        let asked = json!({"expression": expression, "awaitPromise": true, "returnByValue": true});
        let said = self.call("Runtime.evaluate", asked);
        assert!(
            said.get("exceptionDetails").is_none(),
            "{expression}: {said:#}"
        );
        said["result"]["value"].clone()
    }

    /// Chooses a file in an input, as a person does.
    pub(super) fn choose(&mut self, input: &str, file: &std::path::Path) {
        let document = self.call("DOM.getDocument", json!({}));
        let root = &document["root"]["nodeId"];
        let node = self.call(
            "DOM.querySelector",
            json!({"nodeId": root, "selector": input}),
        );
        let files =
            json!({"nodeId": node["nodeId"], "files": [file.to_str().expect("a plain path")]});
        self.call("DOM.setFileInputFiles", files);
    }

    /// Calls a method of the protocol; what happens meanwhile is noted.
    fn call(&mut self, method: &str, parameters: Value) -> Value {
        self.calls += 1;
        let mut message = json!({"id": self.calls, "method": method, "params": parameters});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.send(message.to_string().as_bytes());
        loop {
            let message: Value = serde_json::from_slice(&self.receive()).expect("JSON");
            if message["id"] == self.calls {
                assert!(message.get("error").is_none(), "{method}: {message}");
                return message["result"].clone();
            }
            if let Some("Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded") =
                message["method"].as_str()
            {
                self.console.push(message["params"].to_string());
            }
        }
    }

    fn skip_answer(&mut self) {
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            self.socket.read_exact(&mut byte).expect("an answer");
            answer.push(byte[0]);
        }
        assert!(
            answer.starts_with(b"HTTP/1.1 101"),
            "{}",
            String::from_utf8_lossy(&answer)
        );
    }

    /// Sends a text in one frame, masked with zeros.
    fn send(&mut self, text: &[u8]) {
        let mut frame = vec![0x81];
        match text.len() {
            few @ 0..126 => frame.push(0x80 | few as u8),
            some @ 126..65536 => {
                frame.push(0x80 | 126);
                frame.extend((some as u16).to_be_bytes());
            }
            many => {
                frame.push(0x80 | 127);
                frame.extend((many as u64).to_be_bytes());
            }
        }
        frame.extend([0; 4]);
        frame.extend(text);
        self.socket.write_all(&frame).expect("the browser listens");
    }

    /// The next text, of all its frames.
    fn receive(&mut self) -> Vec<u8> {
        let mut text = Vec::new();
        loop {
            let mut head = [0; 2];
            self.socket
                .read_exact(&mut head)
                .expect("the browser answers");
            let bytes = match head[1] & 0x7F {
                126 => {
                    let mut length = [0; 2];
                    self.socket.read_exact(&mut length).expect("a length");
                    u64::from(u16::from_be_bytes(length))
                }
                127 => {
                    let mut length = [0; 8];
                    self.socket.read_exact(&mut length).expect("a length");
                    u64::from_be_bytes(length)
                }
                few => u64::from(few),
            };
            let from = text.len();
            text.resize(from + bytes as usize, 0);
            self.socket
                .read_exact(&mut text[from..])
                .expect("a whole frame");
            let kind = head[0] & 0x0F;
            assert!(
                kind < 8,
                "the browser closed the connection or asks for a sign: {kind}"
            );
            if head[0] & 0x80 != 0 {
                return text;
            }
        }
    }
}
