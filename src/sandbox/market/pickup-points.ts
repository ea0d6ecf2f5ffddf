import type { Position } from "./geography.ts";
import { drawsFor, hashOf, type Draws } from "../world/draws.ts";

/** A shop that takes parcels in. */
export interface RelayPoint extends Position {
  readonly uuid: string;
  readonly code: string;
  readonly name: string;
  readonly address: string;
  readonly rateUuid: string;
}

/** What the sandbox's people have in their settings: it must be found at their address. */
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
 * The points around a place, nearest first. They depend on the place alone, so that the same search finds the same
 * shops for ever, and neighbours share theirs.
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

/** Whether a point of this code and rate is offered around a place. */
export function isOfferedNear(place: Position, pointCode: string, pointUuid: string): boolean {
  return pickupPointsNear(place).some(({ code, uuid }) => code === pointCode && uuid === pointUuid);
}

function distance(one: Position, other: Position): number {
  // A degree of longitude is about two thirds of one of latitude in these countries.
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
