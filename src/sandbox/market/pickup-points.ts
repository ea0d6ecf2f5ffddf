import names from "./data/pickup-names.json" with { type: "json" };
import centres from "./data/postal-centres.json" with { type: "json" };
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
    address: `${draws.whole(1, 140)} ${draws.pick(names.streets)}`,
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
  return draws.chance(0.4)
    ? draws.pick(names.chains)
    : `${draws.pick(names.trades)} ${draws.pick(names.signs)}`;
}

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
  const [latitude = 0, longitude = 0] = centre;
  if (isParis(postalCode, countryCode)) return { latitude, longitude };
  const draws = drawsFor("place", countryCode, postalCode);
  return {
    latitude: rounded(latitude + (draws.next() - 0.5) * SPREAD_DEGREES),
    longitude: rounded(longitude + (draws.next() - 0.5) * SPREAD_DEGREES),
  };
}

/** Latitude and longitude. `data/postal-centres.json` has them by Parisian district, department or first digit. */
type Centre = readonly number[];

function centreOf(postalCode: string, countryCode: CountryCode): Centre | null {
  if (countryCode === "FR") return /^\d{5}$/.test(postalCode) ? centreInFrance(postalCode) : null;
  if (!/^[1-9]\d{3}$/.test(postalCode)) return null;
  if (countryCode === "LU") return LUXEMBOURG;
  const byFirstDigit = countryCode === "BE" ? centres.belgium : centres.switzerland;
  return byFirstDigit[Number(postalCode[0]) - 1] ?? null;
}

function centreInFrance(postalCode: string): Centre | null {
  if (postalCode.startsWith("75")) return centres.paris[Number(postalCode.slice(3)) - 1] ?? PARIS;
  const department = Number(postalCode.slice(0, 2));
  return centres.france[department - 1] ?? (department >= 97 ? OVERSEAS : null);
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
