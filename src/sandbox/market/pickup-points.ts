import { drawsFor, hashOf, type Draws } from "../world/draws.ts";
import type { CountryCode } from "#catalogue/countries.ts";

/** A pickup point. */
export interface RelayPoint extends Position {
  readonly uuid: string;
  readonly code: string;
  readonly name: string;
  readonly address: string;
  readonly rateUuid: string;
}

/** The point in the settings of the sandbox's seeded accounts, offered near their address. */
const WELL_KNOWN: readonly RelayPoint[] = [
  {
    uuid: "7b0a4c1e-75b1-4a11-8f00-0000000ba571",
    code: "FR-75011-BAST",
    name: "Relais Colis Bastille",
    address: "3 rue de la Roquette, 75011 Paris",
    rateUuid: "rate-relais-colis",
    latitude: 48.8537,
    longitude: 2.3706,
  },
];

const CELL_DEGREES = 0.02;
const MAX_POINTS = 20;

/**
 * The points around a place, nearest first. They are derived from the position, so that repeated and
 * neighbouring searches agree.
 */
export function pickupPointsNear(place: Position): readonly RelayPoint[] {
  const row = Math.floor(place.latitude / CELL_DEGREES);
  const column = Math.floor(place.longitude / CELL_DEGREES);
  const around = [-1, 0, 1].flatMap((north) =>
    [-1, 0, 1].flatMap((east) => pointsOfCell(row + north, column + east)),
  );
  const known = WELL_KNOWN.filter((point) => distance(point, place) < CELL_DEGREES * 1.5);
  return [...known, ...around]
    .sort((one, other) => distance(one, place) - distance(other, place))
    .slice(0, MAX_POINTS);
}

/** Whether this point is offered around a place. */
export function isOfferedNear(place: Position, pointCode: string, pointUuid: string): boolean {
  return pickupPointsNear(place).some(({ code, uuid }) => code === pointCode && uuid === pointUuid);
}

function distance(one: Position, other: Position): number {
  // At these latitudes a degree of longitude is about two thirds of a degree of latitude.
  return Math.hypot(one.latitude - other.latitude, (one.longitude - other.longitude) * 0.66);
}

function pointsOfCell(row: number, column: number): readonly RelayPoint[] {
  const draws = drawsFor("relay", row, column);
  return Array.from({ length: draws.whole(2, 4) }, (_unused, index) => ({
    uuid: uuidOf(draws),
    code: `R${hashOf(`${row} ${column} ${index}`).toString(36).toUpperCase()}`,
    name: nameOf(draws),
    address: `${draws.whole(1, 140)} ${draws.pick(STREETS)}`,
    rateUuid: draws.chance(0.6) ? "rate-mondial-relay" : "rate-relais-colis",
    latitude: Math.round((row + draws.next()) * CELL_DEGREES * 1e5) / 1e5,
    longitude: Math.round((column + draws.next()) * CELL_DEGREES * 1e5) / 1e5,
  }));
}

function uuidOf(draws: Draws): string {
  const hex = (length: number): string =>
    Array.from({ length }, () => draws.whole(0, 15).toString(16)).join("");
  return `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`;
}

function nameOf(draws: Draws): string {
  return draws.chance(0.4) ? draws.pick(CHAINS) : `${draws.pick(TRADES)} ${draws.pick(SIGNS)}`;
}

const CHAINS = [
  "Carrefour City",
  "Franprix",
  "Monop'",
  "Casino Shop",
  "Intermarché Express",
  "Spar",
  "Naturalia",
  "Relay Gare",
  "Locker Consigne 24/7",
  "U Express",
] as const;
const TRADES = [
  "Tabac",
  "Presse",
  "Pressing",
  "Épicerie",
  "Fleuriste",
  "Cordonnerie",
  "Librairie",
  "Boulangerie",
  "Alimentation",
  "Retouches",
] as const;
const SIGNS = [
  "de la Gare",
  "du Marché",
  "Le Longchamp",
  "des Halles",
  "Saint-Michel",
  "du Pont",
  "Les Arcades",
  "La Civette",
  "du Centre",
  "Les Lilas",
  "de l'Église",
  "Le Balto",
  "Chez Nadia",
  "du Parc",
  "Les Tilleuls",
  "L'Étoile",
] as const;
const STREETS = [
  "rue de la République",
  "avenue Jean-Jaurès",
  "rue Victor-Hugo",
  "place du Marché",
  "boulevard Voltaire",
  "rue de la Gare",
  "rue des Écoles",
  "avenue de la Libération",
  "rue Pasteur",
  "rue du Moulin",
] as const;

/** A position in degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** About 2 km, so that two postal codes of one area differ. */
const SPREAD_DEGREES = 0.02;

/**
 * The approximate position of a postal code: the centre of its department, district or region plus an offset
 * derived from the code. Null for codes that cannot exist.
 */
export function positionOf(postalCode: string, countryCode: CountryCode): Position | null {
  const centre = centreOf(postalCode, countryCode);
  if (centre === null) return null;
  const [latitude, longitude] = centre;
  if (isParis(postalCode, countryCode)) return { latitude, longitude };
  const draws = drawsFor("place", countryCode, postalCode);
  return {
    latitude: rounded(latitude + (draws.next() - 0.5) * SPREAD_DEGREES),
    longitude: rounded(longitude + (draws.next() - 0.5) * SPREAD_DEGREES),
  };
}

type Centre = readonly [latitude: number, longitude: number];

function centreOf(postalCode: string, countryCode: CountryCode): Centre | null {
  if (countryCode === "FR") return /^\d{5}$/.test(postalCode) ? centreInFrance(postalCode) : null;
  if (!/^[1-9]\d{3}$/.test(postalCode)) return null;
  if (countryCode === "LU") return LUXEMBOURG;
  const centres = countryCode === "BE" ? BELGIUM_BY_FIRST_DIGIT : SWITZERLAND_BY_FIRST_DIGIT;
  return centres[Number(postalCode[0]) - 1] ?? null;
}

function centreInFrance(postalCode: string): Centre | null {
  if (postalCode.startsWith("75")) return PARIS_BY_DISTRICT[Number(postalCode.slice(3)) - 1] ?? PARIS;
  const department = Number(postalCode.slice(0, 2));
  return CAPITALS_BY_DEPARTMENT[department - 1] ?? (department >= 97 ? OVERSEAS : null);
}

function isParis(postalCode: string, countryCode: CountryCode): boolean {
  return countryCode === "FR" && postalCode.startsWith("75");
}

function rounded(degrees: number): number {
  return Math.round(degrees * 10_000) / 10_000;
}

const PARIS: Centre = [48.8566, 2.3522];
const OVERSEAS: Centre = [14.6161, -61.0588];
const LUXEMBOURG: Centre = [49.6117, 6.13];

// The eleventh must be near the well-known pickup point below.
const PARIS_BY_DISTRICT: readonly Centre[] = [
  [48.8626, 2.3364],
  [48.8683, 2.3431],
  [48.863, 2.3594],
  [48.8543, 2.3576],
  [48.8445, 2.3494],
  [48.8491, 2.3329],
  [48.8562, 2.3122],
  [48.8727, 2.3127],
  [48.8771, 2.3373],
  [48.8761, 2.3607],
  [48.8533, 2.3704],
  [48.8396, 2.3876],
  [48.8283, 2.3623],
  [48.8298, 2.3268],
  [48.8401, 2.2929],
  [48.8604, 2.262],
  [48.8873, 2.3067],
  [48.8925, 2.3482],
  [48.887, 2.3828],
  [48.8635, 2.4011],
];

/** The capitals of the departments 01 to 95; both Corsican departments share the twentieth. */
const CAPITALS_BY_DEPARTMENT: readonly Centre[] = [
  [46.2052, 5.2255],
  [49.5641, 3.6199],
  [46.5646, 3.3325],
  [44.0925, 6.2356],
  [44.5594, 6.0786],
  [43.7102, 7.262],
  [44.7353, 4.5992],
  [49.7621, 4.7249],
  [42.9639, 1.6054],
  [48.2973, 4.0744],
  [43.213, 2.3491],
  [44.3497, 2.5757],
  [43.2965, 5.3698],
  [49.1829, -0.3707],
  [44.9261, 2.4397],
  [45.6484, 0.1562],
  [46.1603, -1.1511],
  [47.081, 2.3988],
  [45.2675, 1.7707],
  [41.9192, 8.7386],
  [47.322, 5.0415],
  [48.5141, -2.7653],
  [46.1712, 1.8715],
  [45.184, 0.7218],
  [47.2378, 6.0241],
  [44.9334, 4.8924],
  [49.027, 1.1508],
  [48.4439, 1.489],
  [47.9975, -4.0979],
  [43.8367, 4.3601],
  [43.6047, 1.4442],
  [43.6465, 0.5855],
  [44.8378, -0.5792],
  [43.6108, 3.8767],
  [48.1173, -1.6778],
  [46.8103, 1.6912],
  [47.3941, 0.6848],
  [45.1885, 5.7245],
  [46.6742, 5.5541],
  [43.8903, -0.4971],
  [47.5861, 1.3359],
  [45.4397, 4.3872],
  [45.0428, 3.885],
  [47.2184, -1.5536],
  [47.9029, 1.909],
  [44.448, 1.4411],
  [44.2033, 0.6163],
  [44.5181, 3.4996],
  [47.4784, -0.5632],
  [49.1163, -1.0908],
  [48.9566, 4.3631],
  [48.1112, 5.1388],
  [48.07, -0.7734],
  [48.6921, 6.1844],
  [48.7737, 5.1601],
  [47.6582, -2.7608],
  [49.1193, 6.1757],
  [46.9896, 3.159],
  [50.6292, 3.0573],
  [49.4295, 2.0807],
  [48.4327, 0.0911],
  [50.291, 2.7775],
  [45.7772, 3.087],
  [43.2951, -0.3708],
  [43.2328, 0.0781],
  [42.6887, 2.8948],
  [48.5734, 7.7521],
  [48.0794, 7.3585],
  [45.764, 4.8357],
  [47.6199, 6.1546],
  [46.3069, 4.8287],
  [48.0061, 0.1996],
  [45.5646, 5.9178],
  [45.8992, 6.1294],
  [48.8566, 2.3522],
  [49.4432, 1.0999],
  [48.5421, 2.6554],
  [48.8014, 2.1301],
  [46.3237, -0.4588],
  [49.8941, 2.2958],
  [43.9298, 2.148],
  [44.0175, 1.3549],
  [43.1242, 5.928],
  [43.9493, 4.8055],
  [46.6706, -1.4264],
  [46.5802, 0.3404],
  [45.8336, 1.2611],
  [48.1744, 6.4512],
  [47.7979, 3.5733],
  [47.6387, 6.8628],
  [48.6328, 2.4405],
  [48.8924, 2.2153],
  [48.9086, 2.4397],
  [48.7904, 2.4556],
  [49.0365, 2.0632],
];

const BELGIUM_BY_FIRST_DIGIT: readonly Centre[] = [
  [50.8503, 4.3517],
  [51.2194, 4.4025],
  [50.8798, 4.7005],
  [50.6326, 5.5797],
  [50.4674, 4.872],
  [50.4108, 4.4446],
  [50.4542, 3.9523],
  [51.2093, 3.2247],
  [51.0543, 3.7174],
];

const SWITZERLAND_BY_FIRST_DIGIT: readonly Centre[] = [
  [46.5197, 6.6323],
  [46.9918, 6.931],
  [46.948, 7.4474],
  [47.5596, 7.5886],
  [47.3904, 8.0457],
  [47.0502, 8.3093],
  [46.8508, 9.532],
  [47.3769, 8.5417],
  [47.4245, 9.3767],
];
