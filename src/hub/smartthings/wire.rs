//! SmartThings' documents, as its API gives them, as far as they matter here.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// A list as the API wraps it, its entries unread.
#[derive(Deserialize)]
pub(super) struct Items<'a> {
    #[serde(borrow)]
    pub(super) items: Vec<&'a RawValue>,
}

/// A device.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Listed {
    pub(super) device_id: String,
    #[serde(default)]
    pub(super) label: Option<String>,
    #[serde(default)]
    pub(super) name: Option<String>,
    #[serde(default)]
    pub(super) room_id: Option<String>,
    #[serde(default)]
    pub(super) components: Vec<Component>,
    #[serde(default)]
    pub(super) profile: Option<ProfileOf>,
}

/// The profile that a device names.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct ProfileOf {
    #[serde(default)]
    pub(super) id: String,
}

/// What devices of a profile have.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Profile {
    pub(super) id: String,
    #[serde(default)]
    pub(super) components: Vec<Component>,
}

/// A part of a device.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Component {
    pub(super) id: String,
    #[serde(default)]
    pub(super) capabilities: Vec<Capability>,
    #[serde(default)]
    pub(super) categories: Vec<Category>,
}

/// What a part can do.
#[derive(Clone, Debug, Deserialize)]
pub(super) struct Capability {
    pub(super) id: String,
}

/// What a part is.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Category {
    pub(super) name: String,
    #[serde(default)]
    pub(super) category_type: String,
}

/// A room.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Room {
    pub(super) room_id: String,
    pub(super) name: String,
}

/// The value of an attribute in a status document.
pub(super) fn attribute<'a>(
    status: &'a Value,
    component: &str,
    capability: &str,
    attribute: &str,
) -> Option<&'a Value> {
    let value = status.get("components")?.get(component)?.get(capability)?.get(attribute)?.get("value")?;
    Some(value).filter(|value| !value.is_null())
}

/// The unit of an attribute.
pub(super) fn unit<'a>(status: &'a Value, component: &str, capability: &str, attribute: &str) -> Option<&'a str> {
    status.get("components")?.get(component)?.get(capability)?.get(attribute)?.get("unit")?.as_str()
}

/// The texts of an attribute that is a list, each once.
pub(super) fn texts(status: &Value, component: &str, capability: &str, name: &str) -> Vec<String> {
    let list = attribute(status, component, capability, name).and_then(Value::as_array);
    let mut texts: Vec<String> = Vec::new();
    for text in list.into_iter().flatten().take(256).filter_map(Value::as_str) {
        if !texts.iter().any(|known| known == text) {
            texts.push(text.to_owned());
        }
    }
    texts
}
