//! Groups of neighbouring nodes that a coarser level moves as one rigid piece.

use super::block_matrix::Pattern;
use super::sorted::sort_by_place;

/// Which nodes go together, and how the groups are coupled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Aggregates {
    /// Group of each node.
    pub(crate) of: Vec<u32>,
    /// Nodes of all groups: group `g` owns `members[start[g]..start[g + 1]]`, ascending.
    pub(crate) start: Vec<u32>,
    pub(crate) members: Vec<u32>,
}

impl Aggregates {
    /// Groups of neighbours over a graph, greedily in the order of the nodes: a node all of whose
    /// neighbours are free takes them, what is left joins the group beside it that is smallest so
    /// far. Nodes that are not coupled never share a group, so that bodies stay apart.
    pub(crate) fn new(graph: &Pattern) -> Self {
        const FREE: u32 = u32::MAX;
        let size = graph.start.len() - 1;
        let neighbours = |i: usize| &graph.columns[graph.range(i)];
        let mut of = vec![FREE; size];
        let mut sizes: Vec<u32> = Vec::new();
        for i in 0..size {
            if neighbours(i).iter().all(|&j| of[j as usize] == FREE) {
                for &j in neighbours(i) {
                    of[j as usize] = sizes.len() as u32;
                }
                sizes.push(neighbours(i).len() as u32);
            }
        }
        let rooted = of.clone();
        for i in 0..size {
            if of[i] != FREE {
                continue;
            }
            let beside = neighbours(i)
                .iter()
                .map(|&j| rooted[j as usize])
                .filter(|g| *g != FREE)
                .min_by_key(|g| (sizes[*g as usize], *g));
            if let Some(group) = beside {
                of[i] = group;
                sizes[group as usize] += 1;
            }
        }
        // What touches no group (it cannot: its root would have been taken) would stand alone.
        for own in &mut of {
            if *own == FREE {
                *own = sizes.len() as u32;
                sizes.push(1);
            }
        }
        Self::from_groups(of, sizes.len())
    }

    fn from_groups(of: Vec<u32>, count: usize) -> Self {
        let (mut start, mut members) = (Vec::new(), Vec::new());
        sort_by_place(count, of.iter().copied(), &mut start, &mut members);
        Self { of, start, members }
    }

    /// Number of groups.
    pub(crate) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// Bytes that one pass over all members reads.
    pub(crate) fn bytes(&self) -> u64 {
        let lists = [&self.of, &self.start, &self.members];
        lists.iter().map(|list| size_of_val(&list[..]) as u64).sum()
    }

    /// Nodes of group `g`.
    pub(crate) fn group(&self, g: usize) -> &[u32] {
        &self.members[self.start[g] as usize..self.start[g + 1] as usize]
    }

    /// The graph of the groups: two are coupled where any of their nodes are.
    pub(crate) fn coarse_graph<'a>(&self, columns: impl Fn(usize) -> [&'a [u32]; 2]) -> Pattern {
        let mut pattern = Pattern { start: vec![0], columns: Vec::new() };
        let mut row = Vec::new();
        for g in 0..self.len() {
            row.clear();
            row.push(g as u32);
            for &i in self.group(g) {
                for part in columns(i as usize) {
                    row.extend(part.iter().map(|&j| self.of[j as usize]));
                }
            }
            row.sort_unstable();
            row.dedup();
            pattern.columns.extend_from_slice(&row);
            pattern.start.push(pattern.columns.len() as u32);
        }
        pattern
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_node_has_a_group_and_bodies_stay_apart() {
        // Two strips of 30 and 7 nodes, and a node alone.
        let (long, short) = (30u32, 7u32);
        let pairs: Vec<[u32; 2]> = (0..long - 1)
            .map(|i| [i, i + 1])
            .chain((long..long + short - 1).map(|i| [i, i + 1]))
            .collect();
        let graph = Pattern::new(38, pairs.iter().map(|p| &p[..]));
        let groups = Aggregates::new(&graph);
        assert!(groups.len() <= 16, "{} groups", groups.len());
        let body = |i: u32| (i >= long) as u32 + (i >= long + short) as u32;
        for g in 0..groups.len() {
            let members = groups.group(g);
            assert!(members.iter().all(|i| body(*i) == body(members[0])));
        }
        assert_eq!(groups.members.len(), 38);
        let coarse = groups.coarse_graph(|i| [&graph.columns[graph.range(i)], &[]]);
        assert_eq!(coarse.start.len(), groups.len() + 1);
    }
}
