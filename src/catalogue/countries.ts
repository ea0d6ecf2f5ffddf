/** The four countries of delivery (specification §9) and their postal codes. */
const countryList = [
  { name: "France", code: "FR" },
  { name: "Belgique", code: "BE" },
  { name: "Suisse", code: "CH" },
  { name: "Luxembourg", code: "LU" },
] as const;

/** A country as settings store it: its French name. */
export type CountryName = (typeof countryList)[number]["name"];

/** ISO 3166-1, two letters. */
export type CountryCode = (typeof countryList)[number]["code"];

export interface Country {
  readonly name: CountryName;
  readonly code: CountryCode;
}

/** The countries in the order that the settings offer them. */
export const countries: readonly Country[] = countryList;

export function countryByName(name: string): Country | undefined {
  return countries.find((country) => country.name === name);
}

const codeByName: Readonly<Record<CountryName, CountryCode>> = {
  France: "FR",
  Belgique: "BE",
  Suisse: "CH",
  Luxembourg: "LU",
};

export function countryCode(name: CountryName): CountryCode {
  return codeByName[name];
}

/** Digits of a postal code: 5 in France, 4 elsewhere (contract §3). */
export function postalCodeLength(country: CountryName): number {
  return country === "France" ? 5 : 4;
}

/**
 * Formats a postal code: 1000 in France is "01000".
 * @param code an integer from 0; 0 means none and gives ""
 */
export function formatPostalCode(code: number, country: CountryName): string {
  return code === 0 ? "" : String(code).padStart(postalCodeLength(country), "0");
}
