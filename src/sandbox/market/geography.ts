import type { CountryCode } from "#catalogue/countries.ts";
import { drawsFor } from "../world/draws.ts";

/** A place on the map, in degrees. */
export interface Position {
  readonly latitude: number;
  readonly longitude: number;
}

/** About 2 km: two postal codes of one area do not fall on the same spot. */
const SPREAD_DEGREES = 0.02;

/**
 * Where a postal code is, roughly: the middle of its department, district or region, moved a little by the code
 * itself. Null when no such code can exist in the country.
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

// The eleventh's is the square that the sandbox's people collect their parcels at.
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

/** The capitals of the departments 01 to 95; Corsica's two share the twentieth place. */
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
