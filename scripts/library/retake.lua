---@meta retake
-- Made from the program's own schemas: editors read this file, scripts never run it.

---@alias AnimatedNumber number|Keys|fun(t: number): number
---@alias AnimatedVector number[]|Keys|fun(t: number): number, number, number
---@alias MappedNumber number|Map|number[]|fun(p: Point): number
---@alias BodyRef Body|WorldBody|string|(Body|string)[]

---@class Point
---@field x number place [m]
---@field y number place [m]
---@field z number place [m]
---@field u? number texture coordinate
---@field v? number texture coordinate
---@field index integer number of the vertex, counted from 0

---@class FieldPoint
---@field t number time [s]
---@field x number place [m]
---@field y number place [m]
---@field z number place [m]
---@field vx number velocity [m/s]
---@field vy number velocity [m/s]
---@field vz number velocity [m/s]

---@alias FabricName "cotton"|"silk"|"wool"|"denim"|"leather"|"paper"|"11oz-black-denim"|"gray-interlock"|"ivory-rib-knit"|"navy-sparkle-sweat"|"pink-ribbon-brown"|"royal-target"|"tango-red-jet-set"|"white-dots-on-blk"|"white-swim-solid"|"camel-ponte-roma"

---@class (exact) AttachOptions
---@field points Points|Spot the points, or a place of `body:point`
---@field to Body|string the body that they ride on
---@field weight? MappedNumber how much each point is held, 0 not at all: a part w of `stiffness`; without one as a spring of 100 w / (1 - w) newtons a metre, 1 exactly; 0 to 1
---@field name? string unique over all constraints; default made
---@field starts? number active from here; [s]
---@field ends? number active to here; [s]
---@field stiffness? AnimatedNumber|MappedNumber stiffness, of each point or each pair; left out: exact; [N/m]; above 0
---@field breaks_at? number force at which it breaks; of an angular joint a moment [N m]; [N]; above 0

---@class (exact) AttractorOptions
---@field center? AnimatedVector where it is; [m]; default {0, 0, 0}
---@field strength AnimatedNumber newtons a kilogram one metre away; [N/kg]
---@field falloff? number power of the distance with which it fades; 0: not at all; 0 to 8; default 0
---@field name? string unique over all forces; default made
---@field bodies? BodyRef the bodies that it acts on; default all that move freely
---@field starts? number acts from here; [s]
---@field ends? number acts to here; [s]

---@class (exact) BoxOptions
---@field size? number|number[] edge lengths; [m]; default 1
---@field cells? integer[]|integer cells along each axis; 1 to 100000; default 1
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field open? "left"|"right"|"bottom"|"top"|"back"|"front" the side without a face
---@field wall? number thickness of the walls of an open box (a crate); [m]; above 0
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) CameraOptions
---@field name? string file-safe, unique over all cameras; default made
---@field position? AnimatedVector where it stands; or a camera of a stage, with `from`; [m]
---@field look_at? AnimatedVector what it looks at; [m]; default {0, 0, 0}
---@field lens? AnimatedNumber focal length on a sensor 36 mm wide; [mm]; 1 to 5000; default 50
---@field fov? AnimatedNumber vertical angle of view, in place of `lens`; [degrees]; 0.1 to 170
---@field focus? AnimatedNumber distance in focus; [m]; above 0; default that of `look_at`
---@field fstop? AnimatedNumber aperture; left out: everything is sharp; 0.01 to 1000
---@field from? Stage the stage that it is taken from
---@field object? string name of the object in `from`
---@field clip? string name of the clip in `from` that moves it; default none; of a run its own
---@field clip_start? number when the clip begins; it holds before and after; [s]; default 0
---@field clip_speed? number how many times as fast it runs; 0.001 to 1000; default 1

---@class (exact) CapsuleOptions
---@field radius? number radius; [m]; above 0; default 0.25
---@field height? number height over all, round ends included; [m]; above 0; default 1
---@field segments? integer columns around; 3 to 1000000; default 32
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) ClothOptions
---@field mesh Mesh its surface
---@field name? string file-safe, unique over all bodies; default made
---@field group? string group that it is in, as in "set/glasses": a parent in glTF and USD, a collection in Blender, and a name for all its bodies
---@field friction? MappedNumber friction coefficient; a pair has the geometric mean of both; 0 to 100; default that of `shot:collisions`
---@field collides? boolean whether it touches anything; default true
---@field self_collision? boolean whether it touches itself; default that of `shot:collisions`
---@field visible? boolean drawn in pictures; default true
---@field exports? boolean written by exporters; default true
---@field color? number[]|string colour, as in `body:look`
---@field appears? number not there before: unseen, untouched, waiting where it starts; [s]
---@field disappears? number not there from then on; [s]
---@field translate? AnimatedVector where its mesh's origin stands; [m]; default {0, 0, 0}
---@field rotate? AnimatedVector turn about x, then y, then z; [degrees]; default {0, 0, 0}
---@field driven_until? number carried by `translate` and `rotate` until then, and set free with the velocity it has; [s]
---@field velocity? number[] velocity at the start; [m/s]; default {0, 0, 0}
---@field spin? number[] spin at the start; [degrees/s]; default {0, 0, 0}
---@field material? MembraneMaterial|Flex3dMaterial|SpringsMaterial its fabric; default cotton
---@field thickness? MappedNumber full thickness; [m]; 0 to 1; default 0.002
---@field rest? "start"|"flat"|"uv"|Mesh the shape without strain: as given, without bends, as the texture coordinates lie (scaled to the mesh's area), or a mesh with the same triangles; default "start"
---@field shrink? AnimatedNumber|MappedNumber factor on rest lengths; 0.01 to 100; default 1
---@field pressure? AnimatedNumber how much more what is inside presses than what is outside; [Pa]; default none
---@field sealed? boolean whether it is a gas that cannot get out: `pressure` goes with one over the volume; default false
---@field outside? number pressure outside, which a sealed gas carries as well; [Pa]; 0 to 1000000000; default 0

---@class (exact) ColliderOptions
---@field translate? AnimatedVector where its mesh's origin stands; [m]; default {0, 0, 0}
---@field rotate? AnimatedVector turn about x, then y, then z; [degrees]; default {0, 0, 0}
---@field velocity? number[] how fast it goes on, without end; it is at `translate` at time 0, which is then no curve; [m/s]; default {0, 0, 0}
---@field spin? number[] how fast it goes on turning about its mesh's origin; `rotate` is then no curve; [degrees/s]; default {0, 0, 0}
---@field thickness? MappedNumber full thickness; [m]; 0 to 1; default 0
---@field mesh? Mesh its surface; or an object of a stage, with `from`
---@field from? Stage the stage that it is taken from
---@field object? string name of the object in `from`
---@field clip? string name of the clip in `from` that moves it; default none; of a run its own
---@field clip_start? number when the clip begins; it holds before and after; [s]; default 0
---@field clip_speed? number how many times as fast it runs; 0.001 to 1000; default 1
---@field name? string file-safe, unique over all bodies; default made
---@field group? string group that it is in, as in "set/glasses": a parent in glTF and USD, a collection in Blender, and a name for all its bodies
---@field friction? MappedNumber friction coefficient; a pair has the geometric mean of both; 0 to 100; default that of `shot:collisions`
---@field collides? boolean whether it touches anything; default true
---@field self_collision? boolean whether it touches itself; default that of `shot:collisions`
---@field visible? boolean drawn in pictures; default true
---@field exports? boolean written by exporters; default true
---@field color? number[]|string colour, as in `body:look`
---@field appears? number not there before: unseen, untouched, waiting where it starts; [s]
---@field disappears? number not there from then on; [s]

---@class (exact) CollisionsOptions
---@field self? boolean whether bodies touch themselves; default true
---@field friction? number friction coefficient; 0 to 100; default 0.4
---@field thickness? number full thickness; [m]; 0 to 1; default by kind: 0.002 for cloth, 0 for colliders
---@field separate? boolean whether what starts crossing is pulled apart: cloth is lifted off what it is in, other bodies move out by the shortest way, those in an open collider to the side that it faces; where no way is found it is refused by name as ever; default false

---@class (exact) ConeOptions
---@field radius? number radius; [m]; above 0; default 0.5
---@field top_radius? number radius at the top; [m]; at least 0; default 0
---@field height? number height; [m]; above 0; default 1
---@field segments? integer columns around; 3 to 1000000; default 32
---@field rings? integer rows along; 1 to 1000000; default 1
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field caps? boolean whether the ends are closed; default true
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) ContactOptions
---@field a BodyRef bodies of one side
---@field b BodyRef bodies of the other side
---@field friction? number friction coefficient of the pair; 0 to 100; default the geometric mean of both
---@field restitution? number part of the speed of approach with which they part again; 0 to 1; default the larger one of both
---@field collides? boolean whether they touch at all; default true
---@field starts? number holds from here; [s]
---@field ends? number holds to here; [s]

---@class (exact) CylinderOptions
---@field radius? number radius; [m]; above 0; default 0.5
---@field height? number height; [m]; above 0; default 1
---@field segments? integer columns around; 3 to 1000000; default 32
---@field rings? integer rows along; 1 to 1000000; default 1
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field caps? boolean whether the ends are closed; default true
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) DragOptions
---@field linear number force per mass and speed; [1/s]; 0 to 1000000
---@field name? string unique over all forces; default made
---@field bodies? BodyRef the bodies that it acts on; default all that move freely
---@field starts? number acts from here; [s]
---@field ends? number acts to here; [s]

---@class (exact) EventOptions
---@field name string what happened
---@field body Body|string to which body

---@class (exact) Flex3dMaterial
---@field kh? number spring constant between neighbours of a row; [N/m]; at least 0; default 10
---@field kv? number spring constant between neighbours of a column; [N/m]; at least 0; default `kh`
---@field kd? number spring constant between diagonal neighbours; [N/m]; at least 0; default `kh`
---@field curvature? number|number[] constant of the angular springs, or three: along rows, along columns, along diagonals [N/m]; default 0
---@field reaction? boolean whether angular springs push back, which keeps the momentum; default false
---@field point_mass number mass of each point; [kg]; above 0
---@field friction_fraction? number part of the resultant force that friction takes; 0 to 1; default 0
---@field friction? "oppose"|"scale" how it takes it: against the velocity, or from the force itself; default "oppose"
---@field model? "flex3d" which model it is; default "flex3d"

---@class (exact) ForceOptions
---@field vector? AnimatedVector the force; [N]
---@field field? fun(p: FieldPoint): number, number, number the force as a function of `p.t x y z vx vy vz`, in place of `vector`: called once with symbols, which take + - * / ^ and `retake.sin`, `retake.select` and the like
---@field per? "point"|"body"|"mass" newtons on every point, on every body, or a kilogram; default "point"
---@field name? string unique over all forces; default made
---@field bodies? BodyRef the bodies that it acts on; default all that move freely
---@field starts? number acts from here; [s]
---@field ends? number acts to here; [s]

---@class (exact) FreezeOptions
---@field points Points the points
---@field inside number[][] smallest and largest corner; [m]
---@field weight? MappedNumber how much each point is held, 0 not at all: a part w of `stiffness`; without one as a spring of 100 w / (1 - w) newtons a metre, 1 exactly; 0 to 1
---@field name? string unique over all constraints; default made
---@field starts? number active from here; [s]
---@field ends? number active to here; [s]
---@field stiffness? AnimatedNumber|MappedNumber stiffness, of each point or each pair; left out: exact; [N/m]; above 0
---@field breaks_at? number force at which it breaks; of an angular joint a moment [N m]; [N]; above 0

---@class (exact) GridOptions
---@field size? number[]|number edge lengths; [m]; default {1, 1}
---@field vertices? integer[]|integer vertices along width and height; row 0 is the top edge; 2 to 1000000; default {2, 2}
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field normal? number[] where its front looks; default {0, 0, 1}
---@field up? number[] where its top edge lies; default {0, 1, 0}; {0, 0, -1} for a normal nearer to Y than 45 degrees
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) GroundOptions
---@field name? string file-safe, unique over all bodies; default "ground"
---@field group? string group that it is in, as in "set/glasses": a parent in glTF and USD, a collection in Blender, and a name for all its bodies
---@field height? number height of its surface; [m]; default 0
---@field friction? MappedNumber friction coefficient; 0 to 100; default that of `shot:collisions`
---@field thickness? MappedNumber full thickness; [m]; 0 to 1; default 0
---@field size? number edge length of the square; [m]; 0.01 to 100000; default 40
---@field visible? boolean drawn in pictures; default true
---@field exports? boolean written by exporters; default true
---@field color? number[]|string colour, as in `body:look`

---@class (exact) ImagesOptions
---@field width? integer width; [pixels]; 1 to 16384; default 960, or `width` of retake.toml
---@field height? integer height; [pixels]; 1 to 16384; default 540, or `height` of retake.toml
---@field samples? integer paths a pixel; 1 to 65536; default 32
---@field every? integer every so many frames; 1 to 1000000; default 1
---@field cameras? string[] names of cameras; default all
---@field shutter? number open part of the frame interval; 0: no motion blur; 0 to 1; default 0
---@field format? "png"|"exr" file format; default "png"
---@field layers? ("depth"|"normal"|"object_id")[] further layers, written to EXR

---@class (exact) JoinOptions
---@field [integer] any meshes

---@class (exact) JointLimitsChange
---@field min? number least [degrees, of a slider m]; default none
---@field max? number most; of a ball how far its axis may lean; default none

---@class (exact) JointMotor
---@field speed? AnimatedNumber speed to keep [degrees/s, of a slider m/s]
---@field angle? AnimatedNumber turn to go to from where it took hold; [degrees]
---@field position? AnimatedNumber place that a slider is to go to from where it took hold; [m]
---@field max_torque? number what it gives at most; left out: whatever it takes; [N m]; at least 0
---@field max_force? number what it gives at most; left out: whatever it takes; [N]; at least 0
---@field stiffness? number draws it to the angle [N m/rad] or the position [N/m] as a spring; left out: exact; above 0
---@field damping? number of that spring [N m s/rad or N s/m]; at least 0; default 0

---@class (exact) JointMotorChange
---@field speed? AnimatedNumber speed to keep [degrees/s, of a slider m/s]
---@field angle? AnimatedNumber turn to go to from where it took hold; [degrees]
---@field position? AnimatedNumber place that a slider is to go to from where it took hold; [m]
---@field max_torque? number what it gives at most; left out: whatever it takes; [N m]; at least 0
---@field max_force? number what it gives at most; left out: whatever it takes; [N]; at least 0
---@field stiffness? number draws it to the angle [N m/rad] or the position [N/m] as a spring; left out: exact; above 0
---@field damping? number of that spring [N m s/rad or N s/m]; at least 0; default 0

---@class (exact) JointOptions
---@field kind "ball"|"hinge"|"slider"|"fixed"|"angular"|"distance"|"spring" which motions are left
---@field a Body|Spot a rigid body; for a distance or a spring a place of `body:point`
---@field b? Body|Spot another, a collider, or a place of `body:point`; default the world
---@field about? number[] where the joint is; of a distance or a spring without `b` the place of the world that it holds to; [m]; default where `a` stands
---@field axis? number[] axis of a hinge or a slider, of a ball's cone, of the turn that a limited or driven angular joint leaves; default {0, 1, 0}
---@field limits? number|number[]|{ min?: number, max?: number } how far it may go from where it takes hold: {least, most} of a hinge or an angular joint [degrees] and of a slider [m]; of a ball how far its axis may lean [degrees]; of a distance {min, max} [m] in place of `length`
---@field twist? number|number[] how far a ball may turn about its axis, however that leans: {least, most}, or as much to either side; [degrees]
---@field motor? AnimatedNumber|JointMotor what turns a hinge or an angular joint or slides a slider: a speed [degrees/s or m/s], or a table
---@field damping? number moment or force against its motion [N m s/rad of turns, N s/m of a slider, a distance or a spring]; at least 0; default 0
---@field length? number length of a distance or a spring; [m]; at least 0; default the distance at the start
---@field weight? number how much it holds, 0 not at all: a part w of `stiffness`; without one as springs of 100 w / (1 - w) newtons a metre at its places, 1 exactly. Not of its limits and its motor; 0 to 1
---@field collides? boolean whether the two bodies touch each other; default false
---@field name? string unique over all constraints; default made
---@field starts? number active from here; [s]
---@field ends? number active to here; [s]
---@field stiffness? AnimatedNumber stiffness; left out: exact; [N/m]; above 0
---@field breaks_at? number force at which it breaks; of an angular joint a moment [N m]; [N]; above 0

---@class (exact) KeysOptions
---@field loop? boolean repeats from the last key; default false
---@field [integer] any keys {time, value, ease = ...}

---@class (exact) LatheOptions
---@field profile number[][] outline from end to end, turned about Y; [m]
---@field segments? integer columns around; 3 to 1000000; default 32
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) LightOptions
---@field name? string unique over all lights; default made
---@field kind "sun"|"area"|"point"|"sky" what it is
---@field color? number[]|string its colour; default {1, 1, 1}
---@field strength? AnimatedNumber W/m2 for a sun, W for area and point, a factor for a sky; at least 0; default 3 for a sun, 100 for area and point, 1 for a sky
---@field direction? number[] where a sun's light goes; default {-0.4, -1, -0.3}
---@field angle? number angular diameter of a sun; [degrees]; 0 to 90; default 0.53
---@field position? AnimatedVector where an area or a point light is; [m]
---@field look_at? number[] what an area is turned to; [m]; default {0, 0, 0}
---@field size? number edge length of an area, diameter of a point; [m]; above 0; default 1 for an area, 0.1 for a point
---@field image? string an HDR file for a sky

---@class (exact) LoadOptions
---@field object? string name of the object to take; default all of them as one mesh
---@field scale? number factor on all coordinates; above 0; default 1

---@class (exact) LookOptions
---@field color? number[]|string base colour; default of a palette
---@field roughness? number 0 (mirror) to 1 (matt); 0 to 1; default 0.7
---@field metallic? number 0 or 1, or between; 0 to 1; default 0
---@field opacity? number 0 (not seen) to 1; 0 to 1; default 1
---@field transmission? number share of light that passes through; 0 to 1; default 0
---@field ior? number index of refraction; 1 to 4; default 1.45
---@field color_map? string PNG or JPEG file of the base colour over the texture coordinates, times `color` where that is given; its transparency is not used
---@field normal_map? string PNG or JPEG file of normals relative to the surface, green upwards as OpenGL and glTF have it
---@field subdivide? integer how often the surface is split and smoothed; 0 to 4; default 0
---@field solidify? number thickness that a sheet is given; [m]; at least 0; default 0

---@class (exact) MeasureOptions
---@field name string unique over all measures
---@field unit? string its unit, for the reader
---@field value fun(world: World): number gives the number
---@field min? number smallest allowed value: makes it a check
---@field max? number largest allowed value: makes it a check

---@class (exact) MembraneMaterial
---@field young? MappedNumber stiffness along the warp (the mesh's u); [N/m]; above 0
---@field young_weft? MappedNumber stiffness along the weft (v); [N/m]; above 0; default `young`
---@field poisson? MappedNumber narrowing across a pull (mean of warp and weft); 0 to 0.95
---@field shear? MappedNumber stiffness against shear; [N/m]; at least 0; default young / (2 + 2 poisson)
---@field bend? MappedNumber bending stiffness of a strip along the warp; [N m]; at least 0
---@field bend_weft? MappedNumber bending stiffness of a strip along the weft; [N m]; at least 0; default `bend`
---@field bend_bias? MappedNumber bending stiffness of a strip at 45 degrees to both; [N m]; at least 0; default the mean of `bend` and `bend_weft`
---@field density? MappedNumber mass per area; [kg/m2]; above 0
---@field damping? MappedNumber damping in proportion to stiffness; [s]; 0 to 10
---@field strain_limit? MappedNumber stretch at which the fabric hardens; 0.05 is five per cent; 0.001 to 1; default none
---@field crease? MappedNumber curvature from which on a bend stays, one over its radius; [1/m]; above 0; default bends never stay
---@field model? "membrane" which model it is; default "membrane"
---@field source? string where the numbers come from

---@class (exact) MovedOptions
---@field translate? number[] by how much; [m]; default {0, 0, 0}
---@field rotate? number[] turn about x, then y, then z; [degrees]; default {0, 0, 0}
---@field scale? number|number[] one factor, or one an axis; default 1

---@class (exact) NamesOptions
---@field kind? "mesh"|"camera"|"light"|"empty" what is meant; default all of them
---@field match? string pattern of names, `*` for any text; default all

---@class (exact) NoiseOptions
---@field at number|number[] a time or a place
---@field scale? number size of its bumps; above 0; default 1
---@field octaves? integer finer bumps on top, each half the size; 1 to 16; default 3
---@field seed? integer seed; -9000000000000000 to 9000000000000000; default 1

---@class (exact) OutputOptions
---@field gltf? boolean|"sequence" one file with animation, or a file a body a frame; default true
---@field caches? false|"pc2"|"mdd" point caches of deforming bodies; default "pc2"
---@field obj? boolean|"shot" a file a body a frame, or a file a frame; default false
---@field obt? boolean FLEX3D objects: a file a body a frame; default false
---@field usd? boolean USD: one file with time samples; default false
---@field alembic? boolean Alembic: one file with its samples; default false
---@field subframes? integer samples a frame in files with animation; 1 to 64; default 1
---@field sheet? integer|integer[] the contact sheet; 0: none; default 12
---@field images? false|ImagesOptions numbered pictures; default false

---@class (exact) ParamOptions
---@field min? number smallest allowed number
---@field max? number largest allowed number
---@field integer? boolean whole numbers only; default false
---@field choices? (number|string)[] the allowed values
---@field unit? string unit, for the reader
---@field help? string what it is for

---@class (exact) PathOptions
---@field [integer] any places {x, y, z}

---@class (exact) PerforateOptions
---@field points Points vertices of a rope, or of a cloth a line of them along its edges: it is cut along the edges between them, from border to border or over two inner edges at least
---@field weight? MappedNumber how much the two sides of each point hold together, 0 not at all: a part w of `stiffness`; without one as a spring of 100 w / (1 - w) newtons a metre, 1 exactly; 0 to 1
---@field name? string unique over all constraints; default made
---@field starts? number active from here; [s]
---@field ends? number active to here; [s]
---@field stiffness? AnimatedNumber|MappedNumber stiffness, of each point or each pair; left out: exact; [N/m]; above 0
---@field breaks_at? number force at which it breaks; of an angular joint a moment [N m]; [N]; above 0

---@class (exact) PinFollowOptions
---@field starts number when it begins; [s]
---@field ends number when it is done; its last value is held; [s]
---@field ease? "auto"|"linear"|"step"|"smooth"|"sine_in"|"sine_out"|"sine_in_out"|"cubic_in"|"cubic_out"|"cubic_in_out"|"bounce_in"|"bounce_out"|"bounce_in_out"|"elastic_in"|"elastic_out"|"elastic_in_out"|"back_in"|"back_out"|"back_in_out" how the way is travelled; default "auto"
---@field path Path the path, relative to its first point

---@class (exact) PinOptions
---@field points Points the points
---@field translate? AnimatedVector added to every place; [m]; default {0, 0, 0}
---@field rotate? AnimatedVector turn about `about`; [degrees]; default {0, 0, 0}
---@field scale? AnimatedNumber|AnimatedVector scale about `about`; default 1
---@field about? number[] fixed world point of `rotate` and `scale`; [m]; default the middle of the points' bounds at the start
---@field weight? MappedNumber how much each point is held, 0 not at all: a part w of `stiffness`; without one as a spring of 100 w / (1 - w) newtons a metre, 1 exactly; 0 to 1
---@field name? string unique over all constraints; default made
---@field starts? number active from here; [s]
---@field ends? number active to here; [s]
---@field stiffness? AnimatedNumber|MappedNumber stiffness, of each point or each pair; left out: exact; [N/m]; above 0
---@field breaks_at? number force at which it breaks; of an angular joint a moment [N m]; [N]; above 0

---@class (exact) PinRotateOptions
---@field starts number when it begins; [s]
---@field ends number when it is done; its last value is held; [s]
---@field ease? "auto"|"linear"|"step"|"smooth"|"sine_in"|"sine_out"|"sine_in_out"|"cubic_in"|"cubic_out"|"cubic_in_out"|"bounce_in"|"bounce_out"|"bounce_in_out"|"elastic_in"|"elastic_out"|"elastic_in_out"|"back_in"|"back_out"|"back_in_out" how the way is travelled; default "auto"
---@field angle number how far; [degrees]
---@field axis? number[] about which direction; any length; default {0, 1, 0}
---@field about? number[] fixed world point; [m]; default `about` of the pin

---@class (exact) PinScaleOptions
---@field starts number when it begins; [s]
---@field ends number when it is done; its last value is held; [s]
---@field ease? "auto"|"linear"|"step"|"smooth"|"sine_in"|"sine_out"|"sine_in_out"|"cubic_in"|"cubic_out"|"cubic_in_out"|"bounce_in"|"bounce_out"|"bounce_in_out"|"elastic_in"|"elastic_out"|"elastic_in_out"|"back_in"|"back_out"|"back_in_out" how the way is travelled; default "auto"
---@field by number|number[] one factor, or one an axis
---@field about? number[] fixed world point; [m]; default `about` of the pin

---@class (exact) PinTranslateOptions
---@field starts number when it begins; [s]
---@field ends number when it is done; its last value is held; [s]
---@field ease? "auto"|"linear"|"step"|"smooth"|"sine_in"|"sine_out"|"sine_in_out"|"cubic_in"|"cubic_out"|"cubic_in_out"|"bounce_in"|"bounce_out"|"bounce_in_out"|"elastic_in"|"elastic_out"|"elastic_in_out"|"back_in"|"back_out"|"back_in_out" how the way is travelled; default "auto"
---@field by number[] by how much; [m]

---@class (exact) PlaneOptions
---@field size? number[]|number edge lengths; [m]; default {1, 1}
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) PushOptions
---@field impulse? number[] the whole push, at once; [N s]; default none
---@field force? number[] a force that acts until the next frame; [N]; default none
---@field points? Points points of the body that share it evenly; default all of it goes the same way

---@class (exact) RandomIntegerOptions
---@field min? integer smallest number; -9000000000000000 to 9000000000000000
---@field max? integer largest number; -9000000000000000 to 9000000000000000
---@field [integer] any { min, max }

---@class (exact) RandomNumberOptions
---@field min? number smallest number; default 0
---@field max? number largest number; default 1
---@field [integer] any { min, max }

---@class (exact) RandomOptions
---@field name? string streams of different names are unrelated
---@field seed? integer seed; -9000000000000000 to 9000000000000000; default 1

---@class (exact) ReleaseOptions
---@field at? number when; in a callback it acts at once and is left out; [s]
---@field points? Points which of its points; of a stitch the pairs that have an end among them; default all

---@class (exact) RigidOptions
---@field name? string file-safe, unique over all bodies; default made
---@field group? string group that it is in, as in "set/glasses": a parent in glTF and USD, a collection in Blender, and a name for all its bodies
---@field friction? MappedNumber friction coefficient; a pair has the geometric mean of both; 0 to 100; default that of `shot:collisions`
---@field collides? boolean whether it touches anything; default true
---@field self_collision? boolean whether it touches itself; default that of `shot:collisions`
---@field visible? boolean drawn in pictures; default true
---@field exports? boolean written by exporters; default true
---@field color? number[]|string colour, as in `body:look`
---@field appears? number not there before: unseen, untouched, waiting where it starts; [s]
---@field disappears? number not there from then on; [s]
---@field translate? AnimatedVector where its mesh's origin stands; [m]; default {0, 0, 0}
---@field rotate? AnimatedVector turn about x, then y, then z; [degrees]; default {0, 0, 0}
---@field driven_until? number carried by `translate` and `rotate` until then, and set free with the velocity it has; [s]
---@field velocity? number[] velocity at the start; [m/s]; default {0, 0, 0}
---@field spin? number[] spin at the start; [degrees/s]; default {0, 0, 0}
---@field mesh? Mesh its surface; left out where there are `parts`
---@field density? number mass per volume; [kg/m3]; above 0; default 1000
---@field mass? number mass of the whole, in place of `density`; [kg]; above 0
---@field thickness? MappedNumber full thickness; [m]; 0 to 1; default 0
---@field restitution? number part of the speed of approach with which it parts again; of a pair the larger one; 0 to 1; default 0
---@field parts? Mesh[] closed meshes that make it up, in place of `mesh`
---@field collision? "mesh"|"hull" what touches: its own triangles, or the convex hull of its mesh or of each of its parts. A mesh that is not closed has the mass of its hull; default "mesh"

---@class (exact) RopeMeshOptions
---@field from? number[] where its vertex 0 is; [m]
---@field to? number[] where its last vertex is; [m]
---@field path? Path|number[][] places it leads through, in place of `from`, `to`; [m]
---@field length? number its length; a longer one hangs slack between `from` and `to`, or between each two places of the path, in proportion to their distance; [m]; above 0; default that of the way
---@field segments? integer equal pieces along it; 1 to 1000000; default 40; as the path has them
---@field spacing? number longest edge, in place of the counts; [m]; above 0

---@class (exact) RopeOptions
---@field mesh Mesh its surface
---@field name? string file-safe, unique over all bodies; default made
---@field group? string group that it is in, as in "set/glasses": a parent in glTF and USD, a collection in Blender, and a name for all its bodies
---@field friction? MappedNumber friction coefficient; a pair has the geometric mean of both; 0 to 100; default that of `shot:collisions`
---@field collides? boolean whether it touches anything; default true
---@field self_collision? boolean whether it touches itself; default that of `shot:collisions`
---@field visible? boolean drawn in pictures; default true
---@field exports? boolean written by exporters; default true
---@field color? number[]|string colour, as in `body:look`
---@field appears? number not there before: unseen, untouched, waiting where it starts; [s]
---@field disappears? number not there from then on; [s]
---@field translate? AnimatedVector where its mesh's origin stands; [m]; default {0, 0, 0}
---@field rotate? AnimatedVector turn about x, then y, then z; [degrees]; default {0, 0, 0}
---@field driven_until? number carried by `translate` and `rotate` until then, and set free with the velocity it has; [s]
---@field velocity? number[] velocity at the start; [m/s]; default {0, 0, 0}
---@field spin? number[] spin at the start; [degrees/s]; default {0, 0, 0}
---@field radius? number radius; [m]; above 0; default 0.01
---@field density? number mass per volume; [kg/m3]; above 0; default 1100
---@field stretch? number E A, the force that doubles its length; [N]; above 0; default 100000
---@field bend? number E I, stiffness against bending; [N m2]; 0 to 1000000000000; default 0.001
---@field twist? number G J, stiffness against twist between places that are held; [N m2]; 0 to 1000000000000; default 0, it turns freely
---@field thickness? MappedNumber full thickness; [m]; 0 to 10; default twice the radius

---@class (exact) ScatterOptions
---@field meshes Mesh[] what is placed, in turn
---@field count integer how many; 1 to 100000
---@field inside number[][]|Mesh where: a box as its smallest and largest corner, or a closed mesh; [m]
---@field gap? number least distance between two; [m]; at least 0; default 0
---@field turn? "any"|"y"|"none" how they may be turned; default "any"
---@field scale? number[]|number factor, or the smallest and the largest; default 1
---@field seed? integer seed; -9000000000000000 to 9000000000000000; default 1

---@class (exact) SceneryOptions
---@field from Stage the stage
---@field match? string pattern of names, `*` for any text; default all
---@field group? string group that it is in, as in "set/glasses": a parent in glTF and USD, a collection in Blender, and a name for all its bodies

---@class (exact) ShapeMatchingMaterial
---@field stiffness? number part of their deviation from the shape that points make up within 1/60 s, whatever the steps (with method "shape_matching" in a step): 0 (free points) to 1 (as good as rigid); 0 to 1; default 0.8
---@field mode? "rigid"|"linear"|"quadratic" what the shape may do besides moving: nothing, stretch and shear, or bend and twist as well; default "rigid"
---@field give? number part of what `mode` allows that costs nothing; 0 to 0.99; default 0.5
---@field density? MappedNumber mass per volume; [kg/m3]; above 0; default 1000
---@field plastic? { yield?: number, creep?: number, max?: number } what of a dent stays, as `{ yield, creep, max }`: strain above `yield` (0.05) becomes lasting at the rate `creep` (10 1/s), up to a lasting strain of `max` (0.5); default nothing stays
---@field model? "shape_matching" which model it is; default "shape_matching"

---@class (exact) ShotOptions
---@field name string file-safe name: that of its folder and files
---@field fps? number|integer[] frames a second; default 24, or `fps` of retake.toml
---@field duration? number length of the film; [s]; at least 0
---@field frames? integer length of the film in frames, in place of `duration`; 0 to 10000000
---@field start_frame? integer number of the first frame; script time 0 is that frame; -1000000000 to 1000000000; default 1, or `start_frame` of retake.toml
---@field preroll? number time simulated before the first frame and not written; keys hold their first value, functions see t < 0; [s]; 0 to 3600; default 0
---@field speed? AnimatedNumber simulated seconds per second of film; 0.25 is slow motion; 0 to 1000; default 1
---@field gravity? AnimatedVector gravity; [m/s2]; default {0, -9.81, 0}
---@field seed? integer seed of the shot's own chance (gusts); 0 to 9000000000000000; default 1
---@field curve_rate? number samples a second that are taken of functions of time; [1/s]; 1 to 10000; default 240

---@class (exact) SoftMaterial
---@field young? MappedNumber stiffness; [Pa]; above 0; default 20000
---@field poisson? number how little its volume gives: 0 (cork) to 0.49 (rubber); 0 to 0.49; default 0.45
---@field density? MappedNumber mass per volume; [kg/m3]; above 0; default 1000
---@field damping? number damping in proportion to stiffness; [s]; 0 to 10; default 0.01
---@field model? "soft" which model it is; default "soft"
---@field plastic? { yield?: number, creep?: number, max?: number } what of a dent stays, as `{ yield, creep, max }`: strain above `yield` (0.05) becomes lasting at the rate `creep` (10 1/s), up to a lasting strain of `max` (0.5); default nothing stays

---@class (exact) SoftOptions
---@field mesh Mesh its surface
---@field name? string file-safe, unique over all bodies; default made
---@field group? string group that it is in, as in "set/glasses": a parent in glTF and USD, a collection in Blender, and a name for all its bodies
---@field friction? MappedNumber friction coefficient; a pair has the geometric mean of both; 0 to 100; default that of `shot:collisions`
---@field collides? boolean whether it touches anything; default true
---@field self_collision? boolean whether it touches itself; default that of `shot:collisions`
---@field visible? boolean drawn in pictures; default true
---@field exports? boolean written by exporters; default true
---@field color? number[]|string colour, as in `body:look`
---@field appears? number not there before: unseen, untouched, waiting where it starts; [s]
---@field disappears? number not there from then on; [s]
---@field translate? AnimatedVector where its mesh's origin stands; [m]; default {0, 0, 0}
---@field rotate? AnimatedVector turn about x, then y, then z; [degrees]; default {0, 0, 0}
---@field driven_until? number carried by `translate` and `rotate` until then, and set free with the velocity it has; [s]
---@field velocity? number[] velocity at the start; [m/s]; default {0, 0, 0}
---@field spin? number[] spin at the start; [degrees/s]; default {0, 0, 0}
---@field material? SoftMaterial|ShapeMatchingMaterial what it is made of; default that of `material.soft{}`
---@field thickness? MappedNumber full thickness; [m]; 0 to 1; default 0
---@field surface? Mesh what touches and is seen, carried by the tetrahedra of `mesh`; default that of `mesh`
---@field pressure? AnimatedNumber how much more what is inside presses than what is outside; [Pa]; default none
---@field sealed? boolean whether it is a gas that cannot get out: `pressure` goes with one over the volume; default false
---@field outside? number pressure outside, which a sealed gas carries as well; [Pa]; 0 to 1000000000; default 0

---@class (exact) SolverOptions
---@field method? "auto"|"explicit_euler"|"symplectic_euler"|"midpoint"|"rk4"|"rk45"|"verlet"|"implicit_jacobi"|"implicit_sor"|"implicit_pcg"|"bdf2"|"relaxation"|"shape_matching"|"impulses" the method: the engine's own for all but material.flex3d, those of the literature for material.springs, (explicit ones) material.flex3d, (relaxation) soft bodies and ropes, (shape_matching) material.shape_matching, and (impulses) rigid bodies; default "auto"
---@field step? number longest step; [s]; above 0, at most 10; default a frame
---@field min_step? number shortest step; [s]; above 0, at most 10; default 0.000001
---@field fixed_step? number exactly this step and no other; [s]; above 0, at most 10
---@field tolerance? number how far a contact may be pressed in, as a part of its contact distance; 0.001 to 1; default 0.25
---@field rollback? boolean whether imprecise steps are taken again; default true
---@field regions? boolean whether bodies that cannot meet before the next frame are solved apart; default true
---@field guard? "enforce"|"report"|"off" crossings: none is accepted; they happen and are listed; they happen; default "enforce"
---@field accuracy? number what converged means, at the scene's size; [m/s]; above 0, at most 1; default 0.001
---@field iterations? integer most sweeps or iterations a step of the implicit methods; passes over all links of relaxation; 1 to 1000000; default 1 for implicit_jacobi, 100 for implicit_sor, 1000 for implicit_pcg, 20 for bdf2 and relaxation
---@field relaxation? number factor of over-relaxation of implicit_sor; part of its way that a link of relaxation goes in a pass; above 0, at most 1.999999; default 1
---@field solver_tolerance? number how far a velocity may be off where implicit_sor, implicit_pcg and bdf2 stop, and in a step of rk45; [m/s]; above 0; default what adds up to `accuracy` in a second
---@field force_change? number change of a point's force from which verlet goes by Beeman; [N]; at least 0; default 0.001
---@field shock? boolean of impulses: whether they end by shock propagation, from the ground up with all below as if infinitely heavy; without it heaps sink into themselves where steps are long; default true

---@class (exact) SphereOptions
---@field radius? number radius; [m]; above 0; default 1
---@field subdivisions? integer halvings of an icosahedron's edges; 0 to 8; default 3 (642 vertices)
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) SpringsMaterial
---@field structural MappedNumber stiffness of springs along rows and columns, or along the edges of a mesh that is no grid; [N/m]; at least 0
---@field shear? MappedNumber stiffness of springs across the cells, or across inner edges; [N/m]; at least 0; default 0
---@field bend? MappedNumber stiffness of springs to the points two steps away, or across inner edges; [N/m]; at least 0; default 0
---@field structural_damping? MappedNumber damping along structural springs; [N s/m]; at least 0; default 0
---@field shear_damping? MappedNumber damping along shear springs; [N s/m]; at least 0; default 0
---@field bend_damping? MappedNumber damping along bending springs; [N s/m]; at least 0; default 0
---@field damp? "always"|"active" springs damp all the time, or while they pull or push; default "always"
---@field unilateral? boolean whether structural and shear springs only pull and bending springs only push; default true
---@field strain_limit? number largest stretch of structural and shear springs, to which longer ones are brought back after each step; 0.1 is ten per cent; 0.001 to 1; default none
---@field density MappedNumber mass per volume; [kg/m3]; above 0
---@field thickness MappedNumber thickness that the mass is counted with; [m]; above 0
---@field air_drag? number|{ corner: number, edge: number, interior: number } drag of the air on each point, one or by place [N s/m]; default 0
---@field model? "springs" which model it is; default "springs"

---@class (exact) StitchOptions
---@field a Points|Spot points, or a place of `body:point`
---@field b Points|Spot points, or a place of `body:point`
---@field gap? "keep"|"close" what becomes of the distance; default "keep"
---@field weight? MappedNumber how much each pair is held, by its point of `a`, 0 not at all: a part w of `stiffness`; without one as a spring of 100 w / (1 - w) newtons a metre, 1 exactly; 0 to 1
---@field name? string unique over all constraints; default made
---@field starts? number active from here; [s]
---@field ends? number active to here; [s]
---@field stiffness? AnimatedNumber|MappedNumber stiffness, of each point or each pair; left out: exact; [N/m]; above 0
---@field breaks_at? number force at which it breaks; of an angular joint a moment [N m]; [N]; above 0

---@class (exact) StopOptions
---@field reason? string why, for the report

---@class (exact) TetBallOptions
---@field radius? number radius; [m]; above 0; default 0.5
---@field cells? integer cells across, an even number; 2 to 1000; default 8
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) TetBoxOptions
---@field size? number|number[] edge lengths; [m]; default 1
---@field cells? integer[]|integer cells along each axis; 1 to 10000; default 4
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) TetrahedralizedOptions
---@field spacing number about how long the edges of the tetrahedra are; [m]; above 0

---@class (exact) TorusOptions
---@field radius? number radius of the tube's middle line; [m]; above 0; default 0.5
---@field tube? number radius of the tube; [m]; above 0; default 0.1
---@field segments? integer columns around; 3 to 1000000; default 32
---@field rings? integer rows around the tube; 3 to 1000000; default 16
---@field spacing? number longest edge, in place of the counts; [m]; above 0
---@field center? number[] middle; [m]; default {0, 0, 0}

---@class (exact) VortexOptions
---@field axis? number[] direction of the axis; the swirl is right-handed about it; default {0, 1, 0}
---@field center? AnimatedVector where it is; [m]; default {0, 0, 0}
---@field strength AnimatedNumber newtons a kilogram one metre away; [N/kg]
---@field falloff? number power of the distance with which it fades; 0: not at all; 0 to 8; default 0
---@field name? string unique over all forces; default made
---@field bodies? BodyRef the bodies that it acts on; default all that move freely
---@field starts? number acts from here; [s]
---@field ends? number acts to here; [s]

---@class (exact) WindOptions
---@field velocity AnimatedVector velocity of the air; [m/s]
---@field turbulence? number size of gusts as a part of the speed; 0 to 10; default 0
---@field gust_size? number length of a gust; [m]; above 0; default 1
---@field drag? number coefficient along the normal; 0 to 100; default 1
---@field lift? number coefficient across the flow; 0 to 100; default 0.4
---@field viscosity? number in place of both: force on each point of a cloth, along its normal, per speed of the air along it; [N s/m]; 0 to 1000000; default none
---@field name? string unique over all forces; default made
---@field bodies? BodyRef the bodies that it acts on; default all that move freely
---@field starts? number acts from here; [s]
---@field ends? number acts to here; [s]

---@class retake
local retake = {}

---@class retake.mesh
retake.mesh = {}

---@class retake.material
retake.material = {}

---@class Shot
local Shot = {}

---@class Stage
local Stage = {}

---@class Mesh
local Mesh = {}

---@class Map
local Map = {}

---@class Keys
local Keys = {}

---@class Path
local Path = {}

---@class Body
local Body = {}

---@class Points
---@operator add(Points): Points
---@operator sub(Points): Points
local Points = {}

---@class Spot
local Spot = {}

---@class Constraint
local Constraint = {}

---@class Force
local Force = {}

---@class Camera
local Camera = {}

---@class Light
local Light = {}

---@class RandomStream
local RandomStream = {}

---@class World
---@field frame integer number of the frame
---@field time number script time [s]
---@field memory table what callbacks remember; saved with each frame
local World = {}

---@class WorldBody
local WorldBody = {}

---A parameter: its value is the default, or what `--set name=value` or a sweep gives.
---@param name string name, as `--set name=value` uses it
---@param default number|boolean|string value where nothing is set; it gives the type
---@param options? ParamOptions
---@return any
function retake.param(name, default, options) end

---Makes the shot, which the script returns at its end. A script makes one shot.
---@param options ShotOptions
---@return Shot
function retake.shot(options) end

---Seconds of script time at a frame.
---@param frame integer number of a frame
---@return number
function Shot:time(frame) end

---A grid of vertices: row 0 is the top edge, column 0 the left one as seen from where the normal points to; vertex number = row * columns + column.
---@param options? GridOptions
---@return Mesh
function retake.mesh.grid(options) end

---A box; with `open` and `wall` a crate.
---@param options? BoxOptions
---@return Mesh
function retake.mesh.box(options) end

---A sphere of nearly equal triangles.
---@param options? SphereOptions
---@return Mesh
function retake.mesh.sphere(options) end

---An upright cylinder.
---@param options? CylinderOptions
---@return Mesh
function retake.mesh.cylinder(options) end

---An upright cone; with `top_radius` its lower part.
---@param options? ConeOptions
---@return Mesh
function retake.mesh.cone(options) end

---An upright cylinder with round ends.
---@param options? CapsuleOptions
---@return Mesh
function retake.mesh.capsule(options) end

---A ring that lies level.
---@param options? TorusOptions
---@return Mesh
function retake.mesh.torus(options) end

---A level rectangle that looks up.
---@param options? PlaneOptions
---@return Mesh
function retake.mesh.plane(options) end

---A profile turned about Y.
---@param options? LatheOptions
---@return Mesh
function retake.mesh.lathe(options) end

---A mesh of a file, which lies relative to the script, the project's root or an asset folder. Maps are glTF attributes named `_NAME`, PLY properties and USD primvars. A Gmsh file (.msh, as text) gives tetrahedra; its objects are the physical groups.
---@param path string file: .obj, .gltf, .glb, .usd, .usda, .usdc, .usdz, .ply, .stl, .msh or .obt
---@param options? LoadOptions
---@return Mesh
function retake.mesh.load(path, options) end

---Several meshes as one, vertices in their order.
---@param options JoinOptions
---@return Mesh
function retake.mesh.join(options) end

---A file as a stage, whose objects and places are taken by their names. It lies relative to the script, the project's root or an asset folder. The folder of a finished run stands for its glTF file: its bodies are colliders that move as they did, and its first frame is where their clip begins. What the samples of a USD file move is its one clip, `samples`, which begins at its first time code; prims of one name are called by those of what they hang on as well (`Mug_Handle`). Skeletons, point instancers and other shapes than meshes are not read.
---@param path string a .glb, .gltf or USD file, or the folder of a run
---@return Stage
function retake.stage(path) end

---The names of its nodes, in the file's order.
---@param options? NamesOptions
---@return string[]
function Stage:names(options) end

---A mesh where the file puts it, as `retake.mesh.load` gives it.
---@param name string the object
---@return Mesh
function Stage:mesh(name) end

---Where a node stands; empties have places too.
---@param name string the node
---@return { translate: number[], rotate: number[], scale: number[] }
function Stage:place(name) end

---Meshes of a stage that are drawn and exported, and touch nothing.
---@param options SceneryOptions
---@return Body[]
function Shot:scenery(options) end

---The mesh scaled, then turned, then moved.
---@param options MovedOptions
---@return Mesh
function Mesh:moved(options) end

---The mesh with each vertex where a function of p puts it.
---@param place fun(p: Point): number, number, number where a vertex goes
---@return Mesh
function Mesh:displaced(place) end

---Every triangle split into four, n times; a grid stays a grid.
---@param n integer how often
---@return Mesh
function Mesh:subdivided(n) end

---The mesh with vertices in one place made one, as Blender merges by distance: closes seams of files that have their vertices twice. Of triangles only; a grid is none any more where anything was.
---@param distance number how far apart vertices may be that become one [m]
---@return Mesh
function Mesh:welded(distance) end

---How many vertices it has.
---@return integer
function Mesh:vertex_count() end

---The place of a vertex [m].
---@param i integer number of a vertex, counted from 0
---@return number[]
function Mesh:vertex(i) end

---Smallest and largest corner [m].
---@return number[], number[]
function Mesh:bounds() end

---The nearest place of the surface, and how far it is [m].
---@param point number[] a place {x, y, z} [m]
---@return number[], number
function Mesh:closest(point) end

---A map of the mesh's file, for any mappable value.
---@param name string name of a map
---@return Map
function Mesh:map(name) end

---The inside of a closed mesh as tetrahedra, for `shot:soft`. The new surface lies on the old one but for sharp edges and corners, of which up to 0.8 of the spacing is cut off; it has no texture coordinates and maps. Where that shows, give the old one as `surface` of the soft body.
---@param options TetrahedralizedOptions
---@return Mesh
function Mesh:tetrahedralized(options) end

---A sheet that the simulation moves.
---@param options ClothOptions
---@return Body
function Shot:cloth(options) end

---A body that stands still or moves as its curves say, whatever it meets. `from` takes an object of a stage, and `clip` what moves it there: nodes, a skin, morph targets. The curves place the whole of it. Where it deforms and pinches something, it gives way.
---@param options ColliderOptions
---@return Body
function Shot:collider(options) end

---A level square to fall on: a collider.
---@param options? GroundOptions
---@return Body
function Shot:ground(options) end

---How a body looks in pictures and exports; never changes how it touches.
---@param options LookOptions
---@return Body
function Body:look(options) end

---A body that keeps its shape. Its mesh must be closed: mass, centre and inertia come from what it encloses.
---@param options RigidOptions
---@return Body
function Shot:rigid(options) end

---A solid that deforms. Its mesh is made of tetrahedra, and so has an inside. With a `surface`, coarse tetrahedra carry a fine one: it is what touches, is drawn and exported, and what points are chosen on.
---@param options SoftOptions
---@return Body
function Shot:soft(options) end

---A solid without a grain: rubber, jelly, foam (neo-Hookean).
---@param options SoftMaterial
---@return SoftMaterial
function retake.material.soft(options) end

---A solid that springs back to its shape as a whole (Mueller and others 2005): cheap and steady, without the stiffness of a real material.
---@param options ShapeMatchingMaterial
---@return ShapeMatchingMaterial
function retake.material.shape_matching(options) end

---A box made of tetrahedra, five a cell.
---@param options? TetBoxOptions
---@return Mesh
function retake.mesh.tet_box(options) end

---A ball made of tetrahedra; 8 cells across are 729 vertices.
---@param options? TetBallOptions
---@return Mesh
function retake.mesh.tet_ball(options) end

---A line for `shot:rope`, from end to end.
---@param options RopeMeshOptions
---@return Mesh
function retake.mesh.rope(options) end

---A rope: it stretches and bends, ties, wraps and carries. Without load it is straight. It touches by its middle line and its thickness. With `twist` it resists being wrung between places that are held exactly: `pin:rotate` turns the vertices of a pin, `shot:attach` turns them with a rigid body or a collider, and both feel its moment. Held by one vertex it may point anywhere, by two neighbours its direction is held as well. A free end, a stitch and a perforation let the twist out.
---@param options RopeOptions
---@return Body
function Shot:rope(options) end

---A measured or typical fabric as a table that may be changed. Names without a hyphen are what is commonly meant; the others are the ten fabrics of Wang, O'Brien and Ramamoorthi 2011 by the names of their data.
---@param name FabricName name of a preset
---@return MembraneMaterial
function retake.material.fabric(name) end

---A woven sheet. What is left out is that of cotton; values may be maps, lists or functions of p.
---@param options MembraneMaterial
---@return MembraneMaterial
function retake.material.membrane(options) end

---The mass-spring cloth of the literature (Carvalho 2012) for a grid, or for any mesh; a spring has the mean of what its ends are given. It is moved by the methods of the literature: `shot:solver{ method = "rk4", ... }`.
---@param options SpringsMaterial
---@return SpringsMaterial
function retake.material.springs(options) end

---The elastic surface of FLEX3D (Nedel 1993) for a grid: point masses, each tied to its eight neighbours. It is moved by `method = "explicit_euler"`.
---@param options Flex3dMaterial
---@return Flex3dMaterial
function retake.material.flex3d(options) end

---An edge of a grid; left and right as seen from the side its normal points to.
---@param side "top"|"bottom"|"left"|"right" which edge
---@return Points
function Body:edge(side) end

---A corner of a grid.
---@param which "top-left"|"top-right"|"bottom-left"|"bottom-right" which corner
---@return Points
function Body:corner(which) end

---A row of a grid.
---@param i integer row, counted from 0 at the top
---@return Points
function Body:row(i) end

---A column of a grid.
---@param j integer column, counted from 0 at the left
---@return Points
function Body:column(j) end

---One vertex of a grid.
---@param row integer counted from 0
---@param column integer counted from 0
---@return Points
function Body:at(row, column) end

---Vertices by number.
---@param list integer[] numbers, counted from 0
---@return Points
function Body:vertices(list) end

---The vertices in a box.
---@param box number[][] { smallest corner, largest corner } [m]
---@return Points
function Body:inside(box) end

---The vertex that is nearest to a place.
---@param place number[] a place {x, y, z} [m]
---@return Points
function Body:nearest(place) end

---The vertices for which a function of p is true.
---@param condition fun(p: Point): boolean whether a vertex is meant
---@return Points
function Body:where(condition) end

---The vertices whose map of that name is above 0.5.
---@param name string name of a map
---@return Points
function Body:group(name) end

---Every vertex.
---@return Points
function Body:all() end

---The place on or in a body that is nearest to a place, vertex or not.
---@param place number[] a place {x, y, z} [m]
---@return Spot
function Body:point(place) end

---How many points are selected. `a + b` joins two selections, `a - b` subtracts one.
---@return integer
function Points:count() end

---Points that are held where they are, or carried by curves and moves.
---@param options PinOptions
---@return Constraint
function Shot:pin(options) end

---Points that ride on another body and keep their gap; on one that deforms each goes along with the triangle or the segment that is nearest to it at the start, and turns with it. What is free to move is carried and carries.
---@param options AttachOptions
---@return Constraint
function Shot:attach(options) end

---Holds pairs of places together: in order where both sides have as many points, else each point of the larger side to the nearest place of the other.
---@param options StitchOptions
---@return Constraint
function Shot:stitch(options) end

---A point becomes fixed when it gets into the box.
---@param options FreezeOptions
---@return Constraint
function Shot:freeze(options) end

---Joins a rigid body with another, a collider or the world where they stand at the start. A ball leaves all turns, a hinge the turn about its axis, a slider the way along it, angular all ways, fixed nothing; a distance or a spring holds two places, or one to the world. Turns are right-handed about the axis, of `a` against `b`. A collider that deforms holds by the triangle that is nearest to `about`, and turns with it.
---@param options JointOptions
---@return Constraint
function Shot:joint(options) end

---Cuts a rope or a cloth where it is to snap or tear, and stitches it: each vertex there becomes one on either side of a slit narrower than its thickness, and holds up to `breaks_at` newtons. There it bends freely. Selections have the vertices of both sides.
---@param options PerforateOptions
---@return Constraint
function Body:perforate(options) end

---Moves a pin. Moves apply in the order they were called and hold their last value.
---@param options PinTranslateOptions
---@return Constraint
function Constraint:translate(options) end

---Turns a pin about a fixed world point.
---@param options PinRotateOptions
---@return Constraint
function Constraint:rotate(options) end

---Scales a pin about a fixed world point: gathers a curtain.
---@param options PinScaleOptions
---@return Constraint
function Constraint:scale(options) end

---Carries a pin along a path at even speed.
---@param options PinFollowOptions
---@return Constraint
function Constraint:follow(options) end

---Lets go: at a time, or in a callback at once.
---@param options? ReleaseOptions
---@return Constraint
function Constraint:release(options) end

---Moving air. There is no air unless `wind` or `drag` makes some.
---@param options WindOptions
---@return Force
function Shot:wind(options) end

---The same force everywhere.
---@param options ForceOptions
---@return Force
function Shot:force(options) end

---A force against the velocity.
---@param options DragOptions
---@return Force
function Shot:drag(options) end

---A force that swirls about an axis through `center`. Within five centimetres of the axis it fades to nothing.
---@param options VortexOptions
---@return Force
function Shot:vortex(options) end

---A pull towards a point; a negative `strength` pushes away. Within five centimetres of the point it fades to nothing.
---@param options AttractorOptions
---@return Force
function Shot:attractor(options) end

---Sine of an angle in radians, in a field too.
---@param x number a number, or a symbol of a field
---@return number
function retake.sin(x) end

---Cosine of an angle in radians, in a field too.
---@param x number a number, or a symbol of a field
---@return number
function retake.cos(x) end

---e to the power of a number, in a field too.
---@param x number a number, or a symbol of a field
---@return number
function retake.exp(x) end

---Natural logarithm, in a field too.
---@param x number a number, or a symbol of a field
---@return number
function retake.log(x) end

---Square root, in a field too.
---@param x number a number, or a symbol of a field
---@return number
function retake.sqrt(x) end

---Size without sign, in a field too.
---@param x number a number, or a symbol of a field
---@return number
function retake.abs(x) end

---Largest whole number that is not above it, in a field too.
---@param x number a number, or a symbol of a field
---@return number
function retake.floor(x) end

---The smaller of two, in a field too.
---@param a number a number, or a symbol of a field
---@param b number another
---@return number
function retake.min(a, b) end

---The larger of two, in a field too.
---@param a number a number, or a symbol of a field
---@param b number another
---@return number
function retake.max(a, b) end

---Angle of the point (b, a) from the first axis in radians, in a field too.
---@param a number a number, or a symbol of a field
---@param b number another
---@return number
function retake.atan2(a, b) end

---One of two numbers, by whether a third is above zero: in a field what `if` is elsewhere.
---@param condition number what is asked whether it is above zero
---@param yes number the answer where it is
---@param no number the answer where it is not
---@return number
function retake.select(condition, yes, no) end

---How the shot is solved. The engine chooses its steps between the two limits.
---@param options SolverOptions
function Shot:solver(options) end

---Collision settings of bodies that say nothing themselves.
---@param options CollisionsOptions
function Shot:collisions(options) end

---Settings of the pairs between two sides; a later call wins over an earlier one.
---@param options ContactOptions
function Shot:contact(options) end

---A camera. Without any, the shot is framed by itself.
---@param options CameraOptions
---@return Camera
function Shot:camera(options) end

---A light. Without any, there is a sun and a sky.
---@param options LightOptions
---@return Light
function Shot:light(options) end

---What a run writes. Without it: glTF, point caches, the import script and a contact sheet of 12 pictures.
---@param options OutputOptions
function Shot:output(options) end

---Keyframes { time, value, ease = ... } of numbers or vectors for any animatable value; `ease` is for the span that ends there: "auto" (a monotone cubic through all keys), "linear", "step", "smooth" (6 u^5 - 15 u^4 + 10 u^3), or Penner's, as "sine_in_out".
---@param options KeysOptions
---@return Keys
function retake.keys(options) end

---The value at a time.
---@param time number time [s]
---@return number|number[]
function Keys:at(time) end

---A path of straight spans for `pin:follow` and `retake.mesh.rope`.
---@param options PathOptions
---@return Path
function retake.path(options) end

---A place or direction of a Z-up world as one of this Y-up world: {x, z, -y}.
---@param place number[] {x, y, z} with Z up
---@return number[]
function retake.blender(place) end

---A stream of random numbers of its own: equal names and seeds give equal numbers.
---@param options? RandomOptions
---@return RandomStream
function retake.random(options) end

---A number between two, as `{ min, max }` or by name; 0 to 1 without.
---@param options? RandomNumberOptions
---@return number
function RandomStream:number(options) end

---A whole number, both ends included.
---@param options RandomIntegerOptions
---@return integer
function RandomStream:integer(options) end

---An entry of a list.
---@param list any[] a list
---@return any
function RandomStream:pick(list) end

---A unit vector, each direction equally likely.
---@return number[]
function RandomStream:direction() end

---A turn for `rotate`, each equally likely [degrees].
---@return number[]
function RandomStream:rotation() end

---Smooth noise in -1..1 over time or space.
---@param options NoiseOptions
---@return number
function retake.noise(options) end

---Places for many things that do not touch: the balls around them keep the gap, and lie inside. Where they do not fit, the error says how many do.
---@param options ScatterOptions
---@return { mesh: Mesh, translate: number[], rotate: number[], scale: number }[]
function retake.scatter(options) end

---Calls a function when a frame is stored, for every frame but the last. What it changes acts from that frame on. It remembers things only in `world.memory`.
---@param callback fun(frame: integer, world: World) what is done
function Shot:on_frame(callback) end

---A number that is taken of each frame; with `min` or `max` it is a check.
---@param options MeasureOptions
function Shot:measure(options) end

---A body as it is in this frame. `world.frame`, `world.time` [s] and `world.memory` are plain values.
---@param body BodyRef a body or its name
---@return WorldBody
function World:body(body) end

---How many places of two bodies, names or groups touch.
---@param a BodyRef bodies of one side
---@param b BodyRef bodies of the other side
---@return integer
function World:contacts(a, b) end

---Sum of their normal impulses since the frame before [N s].
---@param a BodyRef bodies of one side
---@param b BodyRef bodies of the other side
---@return number
function World:impulse(a, b) end

---The force that a constraint holds with [N].
---@param constraint Constraint|string a constraint or its name
---@return number
function World:reaction(constraint) end

---The moment that a joint holds and drives with about where it is [N m].
---@param constraint Constraint|string a constraint or its name
---@return number
function World:torque(constraint) end

---How far what a joint or a stitch holds exactly is from where it should be, at the worst of its places [m].
---@param constraint Constraint|string a constraint or its name
---@return number
function World:apart(constraint) end

---What the motor of a joint drives with, in the sense of its axis [N m, of a slider N].
---@param constraint Constraint|string a constraint or its name
---@return number
function World:drive(constraint) end

---How far a joint has gone since it took hold: a hinge turned or a ball leant [degrees], a slider slid [m].
---@param constraint Constraint|string a constraint or its name
---@return number
function World:travel(constraint) end

---Whether any part of a constraint has broken.
---@param constraint Constraint|string a constraint or its name
---@return boolean
function World:broken(constraint) end

---Writes a line into events.jsonl.
---@param options EventOptions
function World:event(options) end

---Ends the shot after this frame.
---@param options? StopOptions
function World:stop(options) end

---Centre of mass [m].
---@return number[]
function WorldBody:position() end

---Turn about x, then y, then z [degrees]; zero for a cloth.
---@return number[]
function WorldBody:rotation() end

---Its own Y axis in the world.
---@return number[]
function WorldBody:up() end

---Mean velocity [m/s].
---@return number[]
function WorldBody:velocity() end

---Spin [degrees/s].
---@return number[]
function WorldBody:spin() end

---Smallest and largest corner [m].
---@return number[], number[]
function WorldBody:bounds() end

---Stretch of a cloth's edges, rms; 0.01 is one per cent.
---@return number
function WorldBody:stretch() end

---Largest speed of a vertex [m/s].
---@return number
function WorldBody:fastest() end

---Pushes it by an `impulse` at once or by a `force` until the next frame: the whole of it, or at points, which may make it spin.
---@param options PushOptions
function WorldBody:push(options) end

---Gives a hinge, a slider or an angular joint another motor from this frame on; without keys it has none any more.
---@param options? JointMotorChange
---@return Constraint
function Constraint:motor(options) end

---Gives a joint other limits from this frame on, which it must be within; without keys it has none any more. They count from where it took hold.
---@param options? JointLimitsChange
---@return Constraint
function Constraint:limits(options) end

return retake
