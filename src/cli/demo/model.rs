//! A language model that knows a few sentences by heart, behind the interface that real ones have.

use std::collections::BTreeMap;
use std::net::Ipv4Addr;
use std::sync::LazyLock;
use std::time::Duration;

use axum::Router;
use axum::body::Bytes;
use axum::routing::post;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::llm::settings::{HttpSettings, Site, Step};

/// What it answers to which sentence: well, too much, or not at all.
const ANSWERS: &str = include_str!("model.yaml");

/// How long it thinks.
const THINKS: Duration = Duration::from_millis(600);

/// The server, until it is dropped.
pub(super) struct ScriptedModel {
    port: u16,
    task: JoinHandle<()>,
}

impl ScriptedModel {
    pub(super) async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let router = Router::new().route("/v1/chat/completions", post(answer));
        let task = tokio::spawn(async move {
            let _ = axum::serve(listener, router).await;
        });
        Ok(Self { port, task })
    }

    /// This model as a step of the cascade.
    pub(super) fn step(&self) -> Step {
        Step::Http(HttpSettings::new("scripted", Site::Lan, &format!("http://127.0.0.1:{}/v1", self.port), "demo"))
    }
}

impl Drop for ScriptedModel {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(body: Bytes) -> String {
    let question: Value = serde_json::from_slice(&body).unwrap_or_default();
    let sentence = question["messages"][1]["content"].as_str().unwrap_or_default();
    static READ: LazyLock<BTreeMap<String, Vec<String>>> =
        LazyLock::new(|| serde_yaml::from_str(ANSWERS).expect("a test reads the data"));
    let Some((_, commands)) = READ.iter().find(|(part, _)| sentence.contains(*part)) else {
        // A model that hangs: the cascade's deadline ends it.
        return std::future::pending().await;
    };
    tokio::time::sleep(THINKS).await;
    json!({"choices": [{"message": {"role": "assistant", "content": json!(commands).to_string()}}]}).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_it_knows_it_answers_with_commands() {
        let question = json!({"messages": [{}, {"content": "家里的大门你看着办吧"}]}).to_string();
        let answer: Value = serde_json::from_str(&answer(question.into()).await).unwrap();
        let content = &answer["choices"][0]["message"]["content"];
        assert_eq!(content, r#"["打开-*-大门锁#Unknown#one"]"#);
    }
}
