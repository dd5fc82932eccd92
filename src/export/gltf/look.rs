//! Materials.

use super::buffer::File;
use crate::diagnostics::Diagnostic;
use crate::scene::Scene;
use gltf::json::Index;
use gltf::json::extensions::material::{
    IndexOfRefraction, Ior, Material as Extensions, Transmission, TransmissionFactor,
};
use gltf::json::material::{
    AlphaMode, EmissiveFactor, Material, NormalTexture, PbrBaseColorFactor, PbrMetallicRoughness,
    StrengthFactor,
};
use gltf::json::texture::Info;
use gltf::json::validation::Checked;

/// What glTF takes where a material says nothing.
const USUAL_IOR: f64 = 1.5;

/// The look of a body as a material that bears its name.
pub(super) fn material(
    file: &mut File,
    scene: &Scene,
    body: usize,
) -> Result<Index<Material>, Diagnostic> {
    let (color, look) = (scene.color_of(body), &scene.bodies[body].look);
    let part = |x: f64| x.clamp(0.0, 1.0) as f32;
    let [r, g, b] = color.0.map(part);
    let mut extensions = Extensions::default();
    if look.transmission > 0.0 {
        file.uses("KHR_materials_transmission");
        extensions.transmission = Some(Transmission {
            transmission_factor: TransmissionFactor(part(look.transmission)),
            ..Transmission::default()
        });
    }
    if look.ior != USUAL_IOR {
        file.uses("KHR_materials_ior");
        let ior = IndexOfRefraction(look.ior.max(1.0) as f32);
        extensions.ior = Some(Ior { ior, ..Ior::default() });
    }
    let has_any = extensions.transmission.is_some() || extensions.ior.is_some();
    let textured = !scene.mesh_of(body).uvs.is_empty();
    let color_map = look.color_map.as_ref().filter(|_| textured);
    let color_map = color_map.map(|picture| file.texture(picture)).transpose()?;
    let normal_map = look.normal_map.as_ref().filter(|_| textured);
    let normal_map = normal_map.map(|picture| file.texture(picture)).transpose()?;
    Ok(file.root.push(Material {
        alpha_mode: Checked::Valid(if look.opacity < 1.0 {
            AlphaMode::Blend
        } else {
            AlphaMode::Opaque
        }),
        double_sided: true,
        name: Some(scene.bodies[body].name.clone()),
        pbr_metallic_roughness: PbrMetallicRoughness {
            base_color_factor: PbrBaseColorFactor([r, g, b, part(look.opacity)]),
            metallic_factor: StrengthFactor(part(look.metallic)),
            roughness_factor: StrengthFactor(part(look.roughness)),
            base_color_texture: color_map.map(|index| Info {
                index,
                tex_coord: 0,
                extensions: None,
                extras: None,
            }),
            ..PbrMetallicRoughness::default()
        },
        normal_texture: normal_map.map(|index| NormalTexture {
            index,
            scale: 1.0,
            tex_coord: 0,
            extensions: None,
            extras: None,
        }),
        emissive_factor: EmissiveFactor::default(),
        extensions: has_any.then_some(extensions),
        ..Material::default()
    }))
}
