// Where stops are on a map, and which of them share a dot. Everything here is pure.

/** A place on the map: 0 to 1 from west to east and from north to south, as tiles have it. @typedef {{x: number, y: number}} Place */

/**
 * A stop on the map.
 * @typedef {Place & {id: string, area: string, isLate: boolean, needsAttention: boolean}} Stop
 */

/**
 * A dot: one stop, or several that would lie on each other.
 * @typedef {Place & {key: string, count: number, late: number, attention: number, stops: Stop[]}} Cluster
 */

/** What a dot is coloured by: grey when all is well. @typedef {"late" | "attention" | "well"} Tone */

/** What is seen of the map: its middle, and its size in pixels. @typedef {Place & {zoom: number, width: number, height: number}} View */

/** The world in pixels at the zoom 0. */
const worldSize = 512;
/** The circumference of the earth in metres. */
const equator = 40075017;
const degree = Math.PI / 180;

/** Returns the place of a latitude and longitude by the projection of Mercator. @param {readonly [number, number]} at @returns {Place} */
export const mercator = ([latitude, longitude]) => ({ x: longitude / 360 + .5, y: .5 - Math.asinh(Math.tan(latitude * degree)) / (2 * Math.PI) });

/** Returns the longitude and latitude of a place. @param {Place} at @returns {[number, number]} */
export const geographic = ({ x, y }) => [(x - .5) * 360, Math.atan(Math.sinh((.5 - y) * 2 * Math.PI)) / degree];

/** How far apart the stops of an area are drawn, in metres. */
const gap = 60;
/** The angle by which each stop is turned from the one before, as the seeds of a sunflower are. */
const turn = Math.PI * (3 - Math.sqrt(5));

/** Returns a place of its own for each number, the nearest to the middle first. @param {readonly [number, number]} middle @param {number} slot @returns {Place} */
export const around = (middle, slot) => {
  const { x, y } = mercator(middle), far = gap * Math.sqrt(slot) / (equator * Math.cos(middle[0] * degree)), angle = slot * turn;
  return { x: x + far * Math.cos(angle), y: y + far * Math.sin(angle) };
};

/** Gives each stop of an area a number that it keeps, so that none lies on another and none moves when others end. */
export class Spread {
  /** @type {Map<string, {taken: Map<string, number>, free: number[]}>} */
  #areas = new Map();

  /** Returns the number of a stop in an area: the lowest that is free, if it has none yet. @param {string} area @param {string} id */
  slot(area, id) {
    let here = this.#areas.get(area);
    if (!here) this.#areas.set(area, here = { taken: new Map(), free: [] });
    let slot = here.taken.get(id);
    if (slot === undefined) {
      here.free.sort((a, b) => b - a);
      here.taken.set(id, slot = here.free.pop() ?? here.taken.size);
    }
    return slot;
  }

  /** Frees the numbers of stops that are no longer there. @param {(id: string) => boolean} isThere */
  keep(isThere) {
    for (const { taken, free } of this.#areas.values()) {
      for (const [id, slot] of taken) {
        if (isThere(id)) continue;
        taken.delete(id);
        free.push(slot);
      }
    }
  }
}

/** Returns the radius of a dot in pixels: its surface grows with the stops. @param {number} count */
export const radius = (count) => Math.min(32, 10 + 2.4 * Math.sqrt(count - 1));

/** The cells in which stops are gathered, in pixels: twice the largest radius, so that dots of cells that do not touch are apart. */
const cell = 64;

/** @param {Stop[]} stops @param {number} scale @returns {Map<number, Cluster>} what is in each cell */
const gather = (stops, scale) => {
  /** @type {Map<number, Cluster>} */
  const cells = new Map();
  for (const stop of stops) {
    const key = cellAt(stop.x * scale, stop.y * scale);
    let found = cells.get(key);
    if (!found) cells.set(key, found = { key: "", x: 0, y: 0, count: 0, late: 0, attention: 0, stops: [] });
    found.x += stop.x;
    found.y += stop.y;
    found.count++;
    found.late += Number(stop.isLate);
    found.attention += Number(stop.needsAttention);
    found.stops.push(stop);
  }
  for (const found of cells.values()) {
    found.x /= found.count;
    found.y /= found.count;
  }
  return cells;
};

/** How many cells a row has at most. */
const rowLength = 2 ** 26;
/** @param {number} x @param {number} y */
const cellAt = (x, y) => Math.floor(y / cell) * rowLength + Math.floor(x / cell);
/** The cells around one, and itself. */
const neighbours = [-1, 0, 1].flatMap((row) => [-1, 0, 1].map((column) => row * rowLength + column));

/** Returns the dots of stops, the largest first: dots that would lie on each other are one. @param {Stop[]} stops @param {number} zoom @returns {Cluster[]} */
export const clustersOf = (stops, zoom) => {
  const level = Math.floor(zoom), scale = worldSize * 2 ** level;
  const gathered = [...gather(stops, scale)].sort(([a, { count: many }], [b, { count: more }]) => more - many || a - b);
  /** @type {Map<number, Cluster>} */
  const placed = new Map();
  for (const [key, found] of gathered) {
    const near = neighbours.map((step) => placed.get(key + step)).find((other) => other
      && Math.hypot(other.x - found.x, other.y - found.y) * scale < radius(other.count) + radius(found.count));
    if (near) {
      near.count += found.count;
      near.late += found.late;
      near.attention += found.attention;
      near.stops = near.stops.concat(found.stops);
    } else placed.set(key, { ...found, key: `${level}/${key}` });
  }
  return [...placed.values()].sort((a, b) => b.count - a.count);
};

/** Returns what a dot is coloured by: late stops, then those that need attention. @param {{late: number, attention: number}} of @returns {Tone} */
export const toneOf = ({ late, attention }) => late ? "late" : attention ? "attention" : "well";

/** Returns the areas of stops, those with most stops first. @param {Stop[]} stops */
export const areasIn = (stops) => {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const { area } of stops) counts.set(area, (counts.get(area) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([area]) => area);
};

/** Returns where a place is in what is seen, in pixels from its upper left corner. @param {View} view @param {Place} at @returns {Place} */
export const onScreen = ({ x, y, zoom, width, height }, at) => {
  const scale = worldSize * 2 ** zoom;
  return { x: (at.x - x) * scale + width / 2, y: (at.y - y) * scale + height / 2 };
};

/** Returns the place at a point of what is seen. @param {View} view @param {Place} point in pixels @returns {Place} */
export const fromScreen = ({ x, y, zoom, width, height }, point) => {
  const scale = worldSize * 2 ** zoom;
  return { x: x + (point.x - width / 2) / scale, y: y + (point.y - height / 2) / scale };
};

/** A rectangle: two opposite corners. @typedef {[Place, Place]} Box */

/** Reports whether a place is in a rectangle. @param {Box} box @param {Place} at */
export const isIn = ([a, b], { x, y }) => x >= Math.min(a.x, b.x) && x <= Math.max(a.x, b.x) && y >= Math.min(a.y, b.y) && y <= Math.max(a.y, b.y);

/** Returns the part of the map that is seen. @param {View} view @param {number} [beyond] by how many pixels more @returns {Box} */
export const seen = (view, beyond = 0) => [
  fromScreen(view, { x: -beyond, y: -beyond }), fromScreen(view, { x: view.width + beyond, y: view.height + beyond }),
];

/** Returns what encloses places: the corners in the south-west and the north-east as longitude and latitude; undefined without a place. @param {Place[]} places @returns {[[number, number], [number, number]] | undefined} */
export const boundsOf = (places) => {
  if (!places.length) return undefined;
  let [west, east, north, south] = [1, 0, 1, 0];
  for (const { x, y } of places) {
    west = Math.min(west, x);
    east = Math.max(east, x);
    north = Math.min(north, y);
    south = Math.max(south, y);
  }
  return [geographic({ x: west, y: south }), geographic({ x: east, y: north })];
};

/** Returns numbers as people write them: "1–3, 5". @param {number[]} numbers in ascending order */
export const ranges = (numbers) => {
  /** @type {[number, number][]} */
  const found = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => from === to ? `${from}` : `${from}–${to}`).join(", ");
};

/**
 * Returns the numbers of the stops of a way where they are drawn: those that would lie on each other share a label.
 * @param {Place[]} points in pixels, in sequence
 * @returns {(Place & {numbers: number[]})[]}
 */
export const numbered = (points) => {
  /** @type {(Place & {numbers: number[]})[]} */
  const labels = [];
  points.forEach(({ x, y }, i) => {
    const near = labels.find((label) => Math.abs(label.x - x) < 24 && Math.abs(label.y - y) < 18);
    if (near) near.numbers.push(i + 1);
    else labels.push({ x, y, numbers: [i + 1] });
  });
  return labels;
};
