//! Nodes in the groups that bodies name.

use super::buffer::File;
use gltf::json::{Index, Node};
use std::collections::BTreeMap;

/// Groups made so far and the nodes that hang on nothing.
#[derive(Default)]
pub(super) struct Tree {
    groups: BTreeMap<String, Index<Node>>,
    pub(super) roots: Vec<Index<Node>>,
}

impl Tree {
    /// Hangs a node into the group with the path `group` ("set/glasses").
    pub(super) fn add(&mut self, file: &mut File, group: Option<&str>, node: Index<Node>) {
        match group.map(|g| g.trim_matches('/')).filter(|g| !g.is_empty()) {
            Some(path) => {
                let parent = self.group(file, path);
                file.root.nodes[parent.value()].children.get_or_insert_default().push(node);
            }
            None => self.roots.push(node),
        }
    }

    fn group(&mut self, file: &mut File, path: &str) -> Index<Node> {
        if let Some(node) = self.groups.get(path) {
            return *node;
        }
        let (above, name) = match path.rsplit_once('/') {
            Some((above, name)) => (Some(above), name),
            None => (None, path),
        };
        let node = file.root.push(Node {
            name: Some(name.to_owned()),
            extras: super::buffer::extras(&[("retake_group", path)]),
            ..Node::default()
        });
        self.groups.insert(path.to_owned(), node);
        self.add(file, above, node);
        node
    }
}
