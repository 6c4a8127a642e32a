//! A directed graph with labelled edges, and the shortest cycle in it.

use std::collections::VecDeque;

/// Edges between nodes that are numbers.
#[derive(Clone, Debug)]
pub struct Graph<L> {
    edges: Vec<Vec<(usize, L)>>,
}

/// A step of a cycle: from a node, by an edge with this label, to the next step's node.
pub type Step<L> = (usize, L);

impl<L: Clone> Graph<L> {
    /// A graph without edges.
    pub fn new(nodes: usize) -> Self {
        Graph { edges: vec![Vec::new(); nodes] }
    }

    /// Adds an edge. An edge from a node to itself is dropped: a transaction does not depend on
    /// itself.
    pub fn add(&mut self, from: usize, to: usize, label: L) {
        if from != to {
            self.edges[from].push((to, label));
        }
    }

    /// A cycle, as short as the component that it lies in allows; `None` if there is none.
    pub fn cycle(&self) -> Option<Vec<Step<L>>> {
        let component = self.components();
        let mut size = vec![0_usize; self.edges.len()];
        for number in &component {
            size[*number] += 1;
        }
        let in_cycles = (0..self.edges.len()).filter(|node| size[component[*node]] > 1);
        in_cycles.filter_map(|start| self.way_back(start, &component)).min_by_key(Vec::len)
    }

    /// The shortest way from a node to itself inside its component.
    fn way_back(&self, start: usize, component: &[usize]) -> Option<Vec<Step<L>>> {
        let mut reached_from: Vec<Option<(usize, L)>> = vec![None; self.edges.len()];
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            for (to, label) in &self.edges[node] {
                if component[*to] != component[start] || reached_from[*to].is_some() {
                    continue;
                }
                reached_from[*to] = Some((node, label.clone()));
                if *to == start {
                    return Some(trace_back(start, &reached_from));
                }
                queue.push_back(*to);
            }
        }
        None
    }

    /// The strongly connected component of each node (Tarjan, without recursion).
    fn components(&self) -> Vec<usize> {
        const UNSEEN: usize = usize::MAX;
        let nodes = self.edges.len();
        let (mut index, mut low) = (vec![UNSEEN; nodes], vec![0; nodes]);
        let (mut component, mut components) = (vec![UNSEEN; nodes], 0);
        let (mut open, mut counter) = (Vec::new(), 0);
        for root in 0..nodes {
            let mut path = vec![(root, 0_usize)];
            while let Some((node, edge)) = path.pop() {
                if edge == 0 {
                    if index[node] != UNSEEN {
                        continue;
                    }
                    (index[node], low[node]) = (counter, counter);
                    counter += 1;
                    open.push(node);
                }
                if let Some((to, _)) = edge.checked_sub(1).and_then(|e| self.edges[node].get(e)) {
                    low[node] = low[node].min(low[*to]);
                }
                let unfinished = (edge..self.edges[node].len()).find(|next| {
                    let to = self.edges[node][*next].0;
                    if index[to] != UNSEEN && component[to] == UNSEEN {
                        low[node] = low[node].min(index[to]);
                    }
                    index[to] == UNSEEN
                });
                if let Some(next) = unfinished {
                    path.push((node, next + 1));
                    path.push((self.edges[node][next].0, 0));
                    continue;
                }
                if low[node] == index[node] {
                    while let Some(member) = open.pop() {
                        component[member] = components;
                        if member == node {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
        component
    }
}

fn trace_back<L: Clone>(start: usize, reached_from: &[Option<(usize, L)>]) -> Vec<Step<L>> {
    let mut steps = Vec::new();
    let mut node = start;
    while let Some((from, label)) = reached_from[node].clone() {
        steps.push((from, label));
        node = from;
        if node == start {
            break;
        }
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(edges: &[(usize, usize)]) -> Graph<()> {
        let mut graph = Graph::new(10);
        for (from, to) in edges {
            graph.add(*from, *to, ());
        }
        graph
    }

    fn cycle_nodes(edges: &[(usize, usize)]) -> Option<Vec<usize>> {
        let cycle = graph(edges).cycle()?;
        Some(cycle.into_iter().map(|(node, ())| node).collect())
    }

    #[test]
    fn a_graph_without_cycles_has_none() {
        assert_eq!(cycle_nodes(&[]), None);
        assert_eq!(cycle_nodes(&[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]), None);
        assert_eq!(cycle_nodes(&[(5, 4), (4, 3), (5, 3), (9, 5)]), None);
    }

    #[test]
    fn the_shortest_cycle_is_found() {
        assert_eq!(cycle_nodes(&[(0, 1), (1, 0)]), Some(vec![0, 1]));
        let long_and_short = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 1)];
        assert_eq!(cycle_nodes(&long_and_short), Some(vec![1, 2]));
        let late = [(0, 1), (1, 2), (7, 8), (8, 9), (9, 7), (2, 7)];
        assert_eq!(cycle_nodes(&late), Some(vec![7, 8, 9]));
    }

    /// The components against their definition: two nodes that reach each other.
    #[test]
    fn random_graphs_agree_with_reachability() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..500 {
            let count = random.usize(0..16);
            let edges: Vec<_> =
                (0..count).map(|_| (random.usize(0..10), random.usize(0..10))).collect();
            let mut reach = [[false; 10]; 10];
            for (from, to) in edges.iter().filter(|(from, to)| from != to) {
                reach[*from][*to] = true;
            }
            for middle in 0..10 {
                for from in 0..10 {
                    for to in 0..10 {
                        reach[from][to] |= reach[from][middle] && reach[middle][to];
                    }
                }
            }
            let expected = (0..10).any(|node| reach[node][node]);
            assert_eq!(graph(&edges).cycle().is_some(), expected, "{edges:?}");
        }
    }
}
