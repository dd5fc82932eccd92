//! Numbers sorted by where they belong.

/// Sorts numbers by their `places`, each one of `count`: those of place `p` come to be `sorted[start[p]..start[p + 1]]`,
/// ascending.
pub(super) fn sort_by_place(
    count: usize,
    places: impl Iterator<Item = u32> + Clone,
    start: &mut Vec<u32>,
    sorted: &mut Vec<u32>,
) {
    // Until all are sorted in, place `p` goes on at `start[p + 1]`, which ends as the start of the next.
    start.clear();
    start.resize(count + 2, 0);
    for place in places.clone() {
        start[place as usize + 2] += 1;
    }
    for p in 1..=count {
        start[p + 1] += start[p];
    }
    let all = start.pop().unwrap_or(0);
    sorted.clear();
    sorted.resize(all as usize, 0);
    for (number, place) in (0..).zip(places) {
        let at = &mut start[place as usize + 1];
        sorted[*at as usize] = number;
        *at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_place_has_its_numbers_in_ascending_order() {
        let (mut start, mut sorted) = (vec![7], vec![9; 20]);
        sort_by_place(5, [3, 0, 3, 1, 0, 3].into_iter(), &mut start, &mut sorted);
        assert_eq!(start, [0, 2, 3, 3, 6, 6]);
        assert_eq!(sorted, [1, 4, 3, 0, 2, 5]);
        sort_by_place(0, [].into_iter(), &mut start, &mut sorted);
        assert_eq!((start, sorted), (vec![0], vec![]));
    }
}
