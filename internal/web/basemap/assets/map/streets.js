// The operator's street tiles, which lie over the land and below borders and names. Tiles of three schemas are drawn:
// OpenMapTiles (as tilemaker makes them), Shortbread and Protomaps.

/** @typedef {import("maplibre-gl").Map} BaseMap */
/** @typedef {import("maplibre-gl").LayerSpecification} Layer */
/** @typedef {import("maplibre-gl").SourceSpecification} Source */
/** Where street tiles are from (Streets in streets.go). @typedef {{kind: "pmtiles" | "vector" | "raster", url: string, attribution: string}} Streets */
/** The colours of streets. @typedef {Record<"water" | "green" | "building" | "road" | "major" | "text" | "land", string>} Colours */

/** The layers of tiles that are drawn, in the schemas that name them so. Tiles have those of one schema. */
const named = {
  green: ["park", "landcover", "landuse", "land"], water: ["water", "ocean", "water_polygons"], buildings: ["building", "buildings"],
  rivers: ["waterway", "water_lines"], roads: ["transportation", "streets", "roads"], names: ["transportation_name", "street_labels", "roads"],
};
/** The areas that are green. */
const greens = ["park", "wood", "grass", "forest", "meadow", "nature_reserve", "cemetery", "garden", "recreation_ground", "golf_course", "national_park", "scrub"];
/** The main roads: what they are called in one schema or another. */
const main = ["motorway", "trunk", "primary", "secondary", "highway", "major_road"];

const kind = ["coalesce", ["get", "class"], ["get", "kind"], ["get", "subclass"], ""];

/**
 * Returns the layers that draw vector tiles.
 * @param {Colours} colours
 * @param {string[]} font
 * @returns {Layer[]}
 */
const vectorLayers = ({ water, green, building, road, major, text, land }, font) => {
  /** @param {keyof typeof named} group @param {(id: string) => any} make */
  const each = (group, make) => named[group].map((layer) => ({ source: "streets", "source-layer": layer, .../** @type {any} */ (make(`streets-${group}-${layer}`)) }));
  /** @param {number} least @param {number} most how wide lines are at the zooms 10 and 18 */
  const width = (least, most) => ["interpolate", ["exponential", 1.6], ["zoom"], 10, least, 18, most];
  const isMain = ["in", kind, ["literal", main]];
  return [
    ...each("green", (id) => ({ id, type: "fill", filter: ["in", kind, ["literal", greens]], paint: { "fill-color": green } })),
    ...each("water", (id) => ({ id, type: "fill", filter: ["==", ["geometry-type"], "Polygon"], paint: { "fill-color": water } })),
    ...each("rivers", (id) => ({ id, type: "line", minzoom: 9, paint: { "line-color": water, "line-width": width(1, 4) } })),
    ...each("buildings", (id) => ({ id, type: "fill", minzoom: 14, paint: { "fill-color": building } })),
    ...each("roads", (id) => ({ id, type: "line", minzoom: 11, filter: ["!", isMain], layout: { "line-cap": "round", "line-join": "round" }, paint: { "line-color": road, "line-width": width(.5, 10) } })),
    ...each("roads", (id) => ({ id: `${id}-main`, type: "line", minzoom: 6, filter: isMain, layout: { "line-cap": "round", "line-join": "round" }, paint: { "line-color": major, "line-width": width(1, 18) } })),
    ...each("names", (id) => ({
      id, type: "symbol", minzoom: 13, layout: { "symbol-placement": "line", "text-field": ["coalesce", ["get", "name"], ["get", "name:latin"], ""], "text-font": font, "text-size": 11 },
      paint: { "text-color": text, "text-halo-color": land, "text-halo-width": 1.5 },
    })),
  ];
};

/** The type of vector tiles in the header of PMTiles files. */
const vectorTiles = 1;

/** Opens a PMTiles file. @param {typeof import("maplibre-gl")} maplibre @param {string} path @returns {Promise<Source>} */
const openFile = async (maplibre, path) => {
  const { PMTiles, Protocol } = await import("pmtiles"), address = new URL(path, location.href).href, file = new PMTiles(address), protocol = new Protocol();
  protocol.add(file);
  maplibre.addProtocol("pmtiles", protocol.tile);
  const url = `pmtiles://${address}`, { tileType } = await file.getHeader();
  return tileType === vectorTiles ? { type: "vector", url } : { type: "raster", url, tileSize: 256 };
};

/** @param {Streets} streets @returns {Source} */
const serverOf = ({ kind: type, url }) => type === "vector" ? { type: "vector", tiles: [url], maxzoom: 14 } : { type: "raster", tiles: [url], tileSize: 256 };

/**
 * Adds the tiles to a map, below a layer.
 * @param {typeof import("maplibre-gl")} maplibre
 * @param {BaseMap} map
 * @param {Streets} streets
 * @param {{colours: () => Colours, font: string[], below: string}} how
 * @returns {Promise<() => Layer[]>} returns the layers in the colours of the present theme
 */
export const addStreets = async (maplibre, map, streets, { colours, font, below }) => {
  const source = streets.kind === "pmtiles" ? await openFile(maplibre, streets.url) : serverOf(streets);
  map.addSource("streets", source);
  /** @returns {Layer[]} */
  const layers = () => source.type === "vector" ? vectorLayers(colours(), font) : [{ id: "streets", type: "raster", source: "streets" }];
  for (const layer of layers()) map.addLayer(layer, below);
  return layers;
};
