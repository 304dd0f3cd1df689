// The map below the stops: MapLibre with coasts, lakes, borders and the names of cities, and the operator's street tiles.
// All that it consists of is loaded when a map is first drawn.

import { mercator } from "dropyard/clusters.js";
import { html } from "dropyard/html.js";
import { t } from "dropyard/text.js";

/** @typedef {import("maplibre-gl").Map} Map */
/** @typedef {import("maplibre-gl").LayerSpecification} Layer */
/** @typedef {import("maplibre-gl").SourceSpecification} Source */
/** @typedef {import("dropyard/clusters.js").View} View */
/** @typedef {import("dropyard/streets.js").Streets} Streets */

/** Reports whether the browser can draw the map. */
export const canDraw = () => {
  const canvas = document.createElement("canvas");
  return Boolean(canvas.getContext("webgl2") ?? canvas.getContext("webgl"));
};

/** The name of the Trusted Types policy, as in page.TrustedWorker. */
const policyName = "dropyard-worker";

/** Returns the address of a worker as the browser lets one start: the policy of the page admits no other script. @param {string} path */
const workerAt = (path) => {
  const address = new URL(path, location.href).href, { trustedTypes } = /** @type {any} */ (globalThis);
  /** @param {string} asked */
  const createScriptURL = (asked) => {
    if (asked !== address) throw new TypeError(`no worker: ${asked}`);
    return asked;
  };
  return trustedTypes ? trustedTypes.createPolicy(policyName, { createScriptURL }).createScriptURL(address) : address;
};

/** Adds a style sheet. @param {string} address @returns {Promise<void>} */
const addStyles = (address) => new Promise((done, failed) => {
  const link = document.createElement("link");
  link.rel = "stylesheet";
  link.href = address;
  link.onload = () => done();
  link.onerror = () => {
    link.remove();
    failed(new Error(`no style sheet: ${address}`));
  };
  document.head.append(link);
});

/** @typedef {import("geojson").FeatureCollection} Features */
/** The lines of the map, and the names of cities. @typedef {{land: Features, lakes: Features, provinces: Features, borders: Features, cities: Features}} Lines */

/** @param {string} address @returns {Promise<any>} */
const read = async (address) => {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`status ${response.status}`);
  return response.json();
};

/** The paths of what the map consists of (parts in basemap.go). @typedef {Record<"lines" | "styles" | "maplibre" | "maplibreWorker" | "maplibreStyles" | "topojson", string>} Parts */

/** @param {Parts} parts @returns {Promise<Lines>} */
const readLines = async (parts) => {
  const [topology] = await Promise.all([read(parts.lines), import(parts.topojson)]), { feature } = /** @type {any} */ (globalThis).topojson;
  /** @param {string} name @returns {Features} */
  const part = (name) => feature(topology, topology.objects[name]);
  /** @type {{name: string, rank: number, at: [number, number]}[]} */
  const cities = topology.cities;
  return {
    land: part("land"), lakes: part("lakes"), provinces: part("provinces"), borders: part("borders"),
    cities: { type: "FeatureCollection", features: cities.map(({ name, rank, at }) => ({ type: "Feature", properties: { name, rank }, geometry: { type: "Point", coordinates: at } })) },
  };
};

/** @returns {Promise<[typeof import("maplibre-gl"), Lines]>} */
const load = async () => {
  /** @type {Parts} */
  const parts = await read(import.meta.resolve("dropyard/map.json"));
  const [lines] = await Promise.all([readLines(parts), import(parts.maplibre), addStyles(parts.maplibreStyles), addStyles(parts.styles)]);
  const { maplibregl } = /** @type {any} */ (globalThis);
  maplibregl.setWorkerUrl(workerAt(parts.maplibreWorker));
  return [maplibregl, lines];
};

/** @type {ReturnType<typeof load> | undefined} */
let loaded;

/** Loads what the map consists of, once. If it could not be loaded, the next call tries again. */
const loadOnce = () => loaded ??= load().catch((error) => {
  loaded = undefined;
  throw error;
});

/** The colours of the map in the theme of the page. */
const colours = () => {
  const style = getComputedStyle(document.documentElement);
  /** @param {string} name */
  const of = (name) => style.getPropertyValue(name).trim();
  return {
    land: of("--map-land"), water: of("--map-water"), line: of("--map-line"), border: of("--map-border"), text: of("--soft"),
    green: of("--map-green"), building: of("--map-building"), road: of("--map-road"), major: of("--map-major"),
  };
};

/** The font of names. Without glyphs in the style, MapLibre draws them with the fonts of the system. */
const font = ["system-ui"];

/** @returns {Layer[]} */
const layers = () => {
  const { land, water, line, border, text } = colours();
  return [
    { id: "water", type: "background", paint: { "background-color": water } },
    { id: "land", type: "fill", source: "land", paint: { "fill-color": land } },
    { id: "lakes", type: "fill", source: "lakes", paint: { "fill-color": water } },
    { id: "provinces", type: "line", source: "provinces", paint: { "line-color": line, "line-width": 1 } },
    { id: "borders", type: "line", source: "borders", paint: { "line-color": border, "line-width": 1.5 } },
    {
      id: "cities", type: "symbol", source: "cities", filter: ["<=", ["get", "rank"], ["step", ["zoom"], 1, 4, 2, 6, 3, 7, 4]],
      layout: {
        "text-field": ["get", "name"], "text-font": font, "text-size": ["match", ["get", "rank"], 1, 14, 2, 13, 12],
        "symbol-sort-key": ["get", "rank"], "text-padding": 4,
      },
      paint: { "text-color": text, "text-halo-color": land, "text-halo-width": 1.5 },
    },
  ];
};

/** What encloses the lines: there is nothing beyond. @type {[[number, number], [number, number]]} */
const limits = [[-150, 33], [-45, 84]];
/** What is shown if there are no stops. @type {[[number, number], [number, number]]} */
export const canada = [[-138, 42], [-53, 62]];

/** How far the map comes to what is to be seen, without being asked to come nearer. */
const nearest = 13;
/** How what is to be seen is shown: with room around it. */
export const fitting = { padding: 56, maxZoom: nearest, duration: 150 };

/** Returns what is seen of a map. @param {Map} map @returns {View} */
export const viewOf = (map) => {
  const { lng, lat } = map.getCenter(), { clientWidth: width, clientHeight: height } = map.getContainer();
  return { ...mercator([lat, lng]), zoom: map.getZoom(), width, height };
};

/**
 * Draws the map in an element.
 * @param {HTMLElement} container
 * @param {object} options
 * @param {string} options.title the name of the map for those who hear it
 * @param {[[number, number], [number, number]]} [options.bounds] what is to be seen
 * @param {Streets} [options.streets]
 * @param {() => void} [options.lost] is called if street tiles cannot be read
 * @returns {Promise<Map>}
 */
export const draw = async (container, { title, bounds = canada, streets, lost = () => {} }) => {
  const [maplibre, lines] = await loadOnce();
  /** @type {Record<string, Source>} */
  const sources = {};
  for (const [name, data] of Object.entries(lines)) sources[name] = { type: "geojson", data };
  const map = new maplibre.Map({
    container, style: { version: 8, sources, layers: layers() }, bounds, fitBoundsOptions: { ...fitting, duration: 0 }, maxBounds: limits, maxZoom: 20,
    attributionControl: false, boxZoom: false, dragRotate: false, pitchWithRotate: false, touchPitch: false, renderWorldCopies: false, fadeDuration: 0,
    locale: { "Map.Title": title },
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  map.on("error", lost);
  let ofStreets = /** @returns {Layer[]} */ () => [];
  const theme = matchMedia("(prefers-color-scheme: dark)"), paint = () => {
    for (const { id, paint = {} } of [...layers(), ...ofStreets()]) for (const [name, value] of Object.entries(paint)) map.setPaintProperty(id, /** @type {any} */ (name), value);
  };
  theme.addEventListener("change", paint);
  map.on("remove", () => theme.removeEventListener("change", paint));
  await new Promise((done) => { map.once("load", done); });
  if (streets) {
    import("dropyard/streets.js").then(({ addStreets }) => addStreets(maplibre, map, streets, { colours, font, below: "provinces" }))
      .then((layers) => { ofStreets = layers; }).catch(lost);
  }
  return map;
};

/** What the colours mean, for those who see them. */
export const Legend = () => {
  const tones = [["late", t("board.reason.late")], ["attention", t("views.needs_attention")], ["well", t("views.well")]];
  return html`<p class="legend small" aria-hidden="true">${tones.map(([tone, name]) => html`<span key=${tone} class=${`key tone-${tone}`}>${name}</span>`)}</p>`;
};

/** Where the map is from, as its licences ask. @param {{attribution?: string | undefined, isLost: boolean, children?: any}} props */
export const Notice = ({ attribution, isLost, children }) => html`<p class="soft small notice-line">${t("views.places")} <a href="https://www.naturalearthdata.com/" rel="noreferrer">Natural Earth</a>, <a href="https://www.geonames.org/" rel="noreferrer">GeoNames</a> (<a href="https://creativecommons.org/licenses/by/4.0/" rel="noreferrer">CC BY 4.0</a>)
  ${attribution && html` · ${attribution}`}${isLost && html` · <span class="danger">${t("views.no_streets")}</span>`}
  ${children}</p>`;
