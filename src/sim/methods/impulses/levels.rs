//! The contact graph: which bodies lie on which (Guendelman, Bridson and Fedkiw 2003, section 5; Galante 2009,
//! section 2.4.6).

/// Level of each of `count` bodies: 0 for those that are `fixed`, and otherwise one more than the highest level
/// of a body that it lies on. Bodies that lie on each other in a ring are of one level. `lies[k] = (i, j)`:
/// body i lies on body j.
pub(super) fn levels(count: usize, fixed: &[bool], lies: &[(usize, usize)]) -> Vec<usize> {
    let below = |i: usize| lies.iter().filter(move |pair| pair.0 == i).map(|pair| pair.1);
    let above = |j: usize| lies.iter().filter(move |pair| pair.1 == j).map(|pair| pair.0);
    // Rings (Kosaraju): bodies by when all below them has been looked at, then what reaches them.
    let mut order = Vec::new();
    let mut seen = fixed.to_vec();
    for start in 0..count {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut stack = vec![(start, below(start).collect::<Vec<_>>())];
        while let Some((body, left)) = stack.last_mut() {
            match left.pop() {
                Some(next) if !seen[next] => {
                    seen[next] = true;
                    stack.push((next, below(next).collect()));
                }
                Some(_) => {}
                None => {
                    order.push(*body);
                    stack.pop();
                }
            }
        }
    }
    let mut ring = vec![usize::MAX; count];
    let mut rings = 0;
    for &start in order.iter().rev() {
        if ring[start] != usize::MAX {
            continue;
        }
        let mut stack = vec![start];
        while let Some(body) = stack.pop() {
            if ring[body] == usize::MAX && !fixed[body] {
                ring[body] = rings;
                stack.extend(above(body));
            }
        }
        rings += 1;
    }
    // What lies below comes first in `order`, up to rings.
    let mut of_ring = vec![1; rings];
    for &body in &order {
        for other in below(body).filter(|other| !fixed[*other] && ring[*other] != ring[body]) {
            of_ring[ring[body]] = of_ring[ring[body]].max(of_ring[ring[other]] + 1);
        }
    }
    (0..count).map(|i| if fixed[i] { 0 } else { of_ring[ring[i]] }).collect()
}

#[cfg(test)]
mod tests {
    use super::levels;

    /// G-21: a tower, a bridge over two pillars, and three that lean on each other under a fourth.
    #[test]
    fn bodies_are_above_what_they_lie_on() {
        let fixed = |count: usize| (0..count).map(|i| i == 0).collect::<Vec<_>>();
        let of = |count: usize, lies: &[(usize, usize)]| levels(count, &fixed(count), lies);
        assert_eq!(of(4, &[(2, 1), (1, 0), (3, 2)]), [0, 1, 2, 3]);
        assert_eq!(of(5, &[(4, 3), (4, 1), (3, 2), (2, 0), (1, 0)]), [0, 1, 1, 2, 3]);
        assert_eq!(of(5, &[(1, 2), (2, 3), (3, 1), (1, 0), (4, 3)]), [0, 1, 1, 1, 2]);
        assert_eq!(of(3, &[]), [0, 1, 1]);
        // The lower one may have the higher number.
        assert_eq!(of(4, &[(1, 2), (2, 3), (3, 0)]), [0, 3, 2, 1]);
    }

    /// A ring whose members are met one after the other while others lie on it.
    #[test]
    fn a_ring_on_a_tower_is_one_level() {
        let fixed = [true, false, false, false, false, false];
        let lies = [(5, 4), (4, 5), (5, 1), (3, 4), (1, 2), (2, 0)];
        assert_eq!(levels(6, &fixed, &lies), [0, 2, 1, 4, 3, 3]);
    }
}
