// What runs on the graphics processor. Colours are linear until `display`.

const COMMON = `#version 300 es
precision highp float;
precision highp sampler2DShadow;
uniform vec3 eye;
uniform vec3 key;
uniform sampler2DShadow shadows;
uniform mat4 shadowFromWorld;
uniform vec3 center;
uniform vec2 fade;
uniform float radius;

// The paper roll of the pictures, as it is displayed.
vec3 backdrop(vec3 direction) {
  float rise = smoothstep(0.0, 1.0, clamp((direction.y + 0.05) / 0.6, 0.0, 1.0));
  return mix(vec3(0.905, 0.900, 0.893), vec3(0.735, 0.750, 0.770), rise);
}

vec3 display(vec3 light) {
  vec3 soft = light / (1.0 + 0.22 * light);
  return pow(clamp(soft, 0.0, 1.0), vec3(1.0 / 2.2));
}

// Part of the key light that comes through to a place.
float lit(vec3 place, vec3 normal) {
  vec4 at = shadowFromWorld * vec4(place + normal * radius * 0.006, 1.0);
  vec3 p = at.xyz * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  vec2 texel = 1.6 / vec2(textureSize(shadows, 0));
  float sum = 0.0;
  for (int x = -2; x <= 2; x += 1)
    for (int y = -2; y <= 2; y += 1)
      sum += texture(shadows, vec3(p.xy + vec2(x, y) * texel, p.z - 0.0008));
  return sum / 25.0;
}

vec3 shade(vec3 place, vec3 normal, vec3 color, float roughness, float metallic) {
  vec3 toEye = normalize(eye - place);
  float light = lit(place, normal) * clamp(dot(normal, key), 0.0, 1.0);
  float facing = clamp(dot(normal, toEye), 0.0, 1.0);
  vec3 around = mix(vec3(0.30, 0.29, 0.28), vec3(0.47, 0.49, 0.52), normal.y * 0.5 + 0.5);
  // What faces the eye is seen better than what turns away, so that folds show in the shade as well.
  vec3 own = color * (around * (0.65 + 0.65 * facing) + vec3(1.0, 0.95, 0.88) * light);
  vec3 gloss = mix(vec3(0.04), color, metallic);
  float grazing = pow(1.0 - facing, 5.0);
  gloss += (1.0 - gloss) * grazing * (1.0 - roughness) * (1.0 - roughness);
  vec3 mirror = reflect(-toEye, normal);
  vec3 seen = mix(backdrop(mirror) * backdrop(mirror), around, roughness);
  float sharp = exp2(10.0 * (1.0 - roughness) + 1.0);
  float glint = pow(clamp(dot(normal, normalize(key + toEye)), 0.0, 1.0), sharp) * (sharp + 8.0) / 25.0 * light;
  return own * (1.0 - 0.9 * metallic) + gloss * (seen * (1.0 - roughness) * (1.0 - 0.5 * roughness) + glint);
}
`;

/** Everything with a surface. */
const BODY = [
  `#version 300 es
  layout(location = 0) in vec3 place;
  layout(location = 1) in vec3 normal;
  uniform mat4 viewProjection;
  uniform mat4 pose;
  out vec3 worldPlace;
  out vec3 worldNormal;
  void main() {
    vec4 world = pose * vec4(place, 1.0);
    worldPlace = world.xyz;
    worldNormal = mat3(pose) * normal;
    gl_Position = viewProjection * world;
  }`,
  `${COMMON}
  in vec3 worldPlace;
  in vec3 worldNormal;
  uniform vec3 color;
  uniform float roughness;
  uniform float metallic;
  uniform float opacity;
  uniform bool fades;
  out vec4 pixel;
  void main() {
    vec3 normal = normalize(gl_FrontFacing ? worldNormal : -worldNormal);
    vec3 seen = display(shade(worldPlace, normal, color, roughness, metallic));
    if (fades) {
      float away = length((worldPlace - center).xz);
      seen = mix(seen, backdrop(normalize(worldPlace - eye)), smoothstep(fade.x, fade.y, away));
    }
    pixel = vec4(seen, opacity);
  }`,
];

/** Lines of the triangles. */
const WIRE = [
  BODY[0],
  `#version 300 es
  precision highp float;
  in vec3 worldPlace;
  in vec3 worldNormal;
  uniform vec4 ink;
  out vec4 pixel;
  void main() { pixel = ink; }`,
];

/** How far what stands in the light is away from it. */
const SHADOW = [
  `#version 300 es
  layout(location = 0) in vec3 place;
  uniform mat4 viewProjection;
  uniform mat4 pose;
  void main() { gl_Position = viewProjection * pose * vec4(place, 1.0); }`,
  `#version 300 es
  precision highp float;
  void main() {}`,
];

/** What lies behind everything: one triangle over the whole picture. */
const BACKDROP = [
  `#version 300 es
  uniform vec3 right;
  uniform vec3 up;
  uniform vec3 forward;
  uniform vec2 tangents;
  out vec3 direction;
  void main() {
    vec2 at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    direction = forward + right * at.x * tangents.x + up * at.y * tangents.y;
    gl_Position = vec4(at, 1.0, 1.0);
  }`,
  `${COMMON}
  in vec3 direction;
  out vec4 pixel;
  void main() { pixel = vec4(backdrop(normalize(direction)), 1.0); }`,
];
