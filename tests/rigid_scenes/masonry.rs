//! An arch and a house of cards.

use crate::pose;
use crate::scripted::{run_uncrossed, scene, start};

/// A semicircular arch of 17 stones stands where it is thicker than 0.1075 of its radius (Milankovitch 1907).
#[test]
fn an_arch_stands_by_its_thickness() {
    for (part, stands) in [(0.12, true), (0.10, false)] {
        let text = format!(
            "local shot = retake.shot{{ name = 'arch', duration = 4 }}
            shot:collisions{{ friction = 0.9 }}
            shot:ground{{}}
            local stones, radius, thick = 17, 1, {part}
            local angle = math.pi / stones
            for i = 0, stones - 1 do
              local stone = retake.mesh.box{{ size = 1, cells = 1 }}:displaced(function(p)
                local r = radius + thick * p.y
                -- Half a skin is left beside each joint.
                local a = math.pi - angle * (i + 0.5 + p.x) + (p.x > 0 and 1 or -1) * 1.05e-4 / r
                return r * math.cos(a), r * math.sin(a), 0.3 * p.z
              end)
              shot:rigid{{ mesh = stone, density = 2400 }}
            end"
        );
        let scene = scene(&text);
        let mut simulation = start(&scene);
        let key = |simulation: &retake::sim::Simulation| simulation.view().bodies[9].position.y;
        let begin = key(&simulation);
        run_uncrossed(&scene, &mut simulation, 72);
        let sunk = begin - key(&simulation);
        assert_eq!(sunk < 0.01, stands, "{part}: the keystone has sunk by {sunk} m");
    }
}

/// Two storeys of cards that lean on each other stand.
#[test]
fn a_house_of_cards_stands() {
    let text = "local shot = retake.shot{ name = 'cards', duration = 4 }
        shot:collisions{ friction = 0.8 }
        shot:ground{}
        local long, thin, lean = 0.1, 0.004, 20
        local s, c = math.sin(math.rad(lean)), math.cos(math.rad(lean))
        local card = retake.mesh.box{ size = { thin, long, 0.07 } }
        local flat = retake.mesh.box{ size = { 0.11, thin, 0.07 } }
        -- Middle of a card whose lowest edge is at height y and whose top comes to x.
        local function pair(x, y)
          for side = -1, 1, 2 do
            local up = 0.5 * (long * c + thin * s) + 2.1e-4
            local out = 0.5 * long * s + 0.5 * thin * c + 0.5 * thin * s * s / c + 1.1e-4
            shot:rigid{ mesh = card, translate = { x + side * out, y + up, 0 }, rotate = { 0, 0, side * lean }, density = 800 }
          end
          return y + long * c + thin * s + 2.1e-4
        end
        local top = pair(-0.05, 0)
        pair(0.05, 0)
        shot:rigid{ mesh = flat, translate = { 0, top + 0.5 * thin + 2.1e-4, 0 }, density = 800 }
        pair(0, top + thin + 4.2e-4)";
    let scene = scene(text);
    let mut simulation = start(&scene);
    let begin: Vec<f64> = (1..8).map(|i| pose(&simulation, i).0.y).collect();
    run_uncrossed(&scene, &mut simulation, 72);
    let sunk = (1..8).map(|i| begin[i - 1] - pose(&simulation, i).0.y).fold(0.0, f64::max);
    assert!(sunk < 0.002, "a card has sunk by {sunk} m");
}
