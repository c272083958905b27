//! MCP over Streamable HTTP.

use serde_json::{Value, json};

use super::House;
use super::clients::{McpClient, Reply, get, post};

/// A request of the revision without sessions, whose user can be asked.
async fn modern(port: u16, method: &str, params: Value, headers: &[(&str, &str)]) -> Reply {
    stateless(port, method, params, json!({"elicitation": {"form": {}}}), headers).await
}

/// A request of the revision without sessions, by a client that can do so much.
pub async fn stateless(port: u16, method: &str, mut params: Value, can: Value, headers: &[(&str, &str)]) -> Reply {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": can,
    });
    let name = params["name"].as_str().unwrap_or_default().to_owned();
    let mut all = vec![("MCP-Protocol-Version", "2026-07-28"), ("Mcp-Method", method)];
    if !name.is_empty() {
        all.push(("Mcp-Name", &name));
    }
    all.retain(|(name, _)| !headers.iter().any(|(other, _)| other == name));
    all.extend(headers.iter().filter(|(_, value)| !value.is_empty()));
    post(port, "/mcp", &all, &json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params})).await
}

#[tokio::test(flavor = "multi_thread")]
async fn older_clients_initialize_list_and_call() {
    let mut house = House::open().await;
    let mut client = McpClient::new(house.http);
    for (wanted, given) in [("2024-11-05", "2024-11-05"), ("2025-06-18", "2025-06-18"), ("1999-01-01", "2025-11-25")] {
        let params =
            json!({"protocolVersion": wanted, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        let result = client.call("initialize", params).await["result"].clone();
        assert_eq!((&result["protocolVersion"], &result["serverInfo"]["name"]), (&json!(given), &json!("zhiju")));
    }
    let ready = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let Reply { status, text, .. } = post(house.http, "/mcp", &[("MCP-Protocol-Version", "2025-06-18")], &ready).await;
    assert_eq!((status, text.as_str()), (202, ""));
    assert_eq!(client.call("ping", json!({})).await["result"], json!({}));
    let tools = client.call("tools/list", json!({})).await["result"]["tools"].clone();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["home_command", "home_devices", "home_state"]);
    let asked = client.command("打开大门锁", None, None).await;
    assert_eq!(asked["structuredContent"]["ask_user"], true, "{asked}");
    let page = asked["structuredContent"]["conversation"].as_str().unwrap().to_owned();
    assert_eq!(client.command("确认", None, None).await["structuredContent"]["done"], json!([]), "another page");
    let done = client.command("确认", None, Some(&page)).await;
    assert_eq!(done["structuredContent"]["done"], json!(["打开玄关大门锁"]));
    house.client.on("instruct/lock-01").await;
    let devices = client.tool("home_devices", json!({})).await["content"][0]["text"].as_str().unwrap().to_owned();
    assert!(devices.lines().any(|line| line.starts_with("书房: ") && line.contains("吸顶灯")), "{devices}");
    let state = client.tool("home_state", json!({"about": "玄关大门锁"})).await["content"][0]["text"].clone();
    assert!(state.as_str().unwrap().starts_with("玄关 大门锁: {"), "{state}");
    let none = client.tool("home_state", json!({"about": "飞机"})).await["content"][0]["text"].clone();
    assert_eq!(none, "nothing is called so");
    assert_eq!(get(house.http, "/mcp", &[]).await.status, 405);
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_confirmation_goes_to_the_user_and_back_without_a_session() {
    let mut house = House::open().await;
    let discovered = modern(house.http, "server/discover", json!({}), &[]).await.body;
    assert_eq!(discovered["result"]["supportedVersions"][0], "2026-07-28");
    let tools = modern(house.http, "tools/list", json!({}), &[]).await.body;
    assert_eq!(
        (&tools["result"]["resultType"], &tools["result"]["cacheScope"]),
        (&json!("complete"), &json!("private"))
    );
    let call = json!({"name": "home_command", "arguments": {"text": "打开大门锁"}});
    for (response, moves) in
        [(json!({"action": "decline"}), false), (json!({"action": "accept", "content": {"answer": "确认"}}), true)]
    {
        let asked = modern(house.http, "tools/call", call.clone(), &[]).await.body["result"].clone();
        assert_eq!(asked["resultType"], "input_required", "{asked}");
        let question = &asked["inputRequests"]["answer"];
        assert_eq!(question["method"], "elicitation/create");
        assert!(question["params"]["message"].as_str().unwrap().contains("大门锁"));
        let mut again = call.clone();
        again["requestState"] = asked["requestState"].clone();
        again["inputResponses"] = json!({"answer": response});
        let done = modern(house.http, "tools/call", again.clone(), &[]).await.body["result"].clone();
        assert_eq!(done["resultType"], "complete", "{done}");
        assert_eq!(done["structuredContent"]["done"] == json!(["打开玄关大门锁"]), moves, "{done}");
        if moves {
            house.client.on("instruct/lock-01").await;
        }
        // The same answer again is an answer to nothing.
        let repeated = modern(house.http, "tools/call", again, &[]).await.body["result"].clone();
        assert_ne!(repeated["structuredContent"]["done"], json!(["打开玄关大门锁"]), "{repeated}");
        assert_eq!(house.moved(), 0);
    }
    house.daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_protocol_forbids_is_an_error_of_the_protocol() {
    let mut house = House::open().await;
    let call = json!({"name": "home_command", "arguments": {"text": "打开书房吸顶灯"}});
    let message = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call});
    let error = |reply: Reply| (reply.status, reply.body["error"]["code"].as_i64().unwrap_or_default());
    for (body, wanted) in [
        (json!([message, message]), (400, -32600)),
        (json!({"id": 1, "method": "ping"}), (400, -32600)),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "tools/destroy"}), (200, -32601)),
        (json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x"}}), (200, -32602)),
    ] {
        assert_eq!(error(post(house.http, "/mcp", &[], &body).await), wanted, "{body}");
    }
    let versions = [("MCP-Protocol-Version", "1999-01-01")];
    assert_eq!(error(post(house.http, "/mcp", &versions, &message).await), (400, -32022));
    for wrong in [
        ("Mcp-Method", "tools/list"),
        ("Mcp-Method", ""),
        ("Mcp-Name", "home_state"),
        ("Mcp-Name", ""),
        ("MCP-Protocol-Version", "2025-06-18"),
        ("MCP-Protocol-Version", ""),
    ] {
        assert_eq!(error(modern(house.http, "tools/call", call.clone(), &[wrong]).await), (400, -32020), "{wrong:?}");
    }
    assert_eq!(error(modern(house.http, "initialize", json!({}), &[]).await), (404, -32601));
    let mut client = McpClient::new(house.http);
    for arguments in
        [json!({}), json!({"text": 5}), json!({"text": "灯".repeat(2_001)}), json!({"text": "开灯", "room": []})]
    {
        assert_eq!(client.tool("home_command", arguments).await["isError"], true);
    }
    assert_eq!(house.moved(), 0);
    house.daemon.stop().await;
}
