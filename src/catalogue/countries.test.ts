import { expect, test } from "vitest";
import { countries, countryByName, countryCode, formatPostalCode, postalCodeLength } from "./countries.ts";

test("the countries are the specification's four, in its order", () => {
  expect(countries.map(({ name, code }) => `${name} ${code}`)).toEqual([
    "France FR",
    "Belgique BE",
    "Suisse CH",
    "Luxembourg LU",
  ]);
  expect(countryByName("Suisse")?.code).toBe("CH");
  expect(countryByName("Espagne")).toBeUndefined();
  expect(countries.map(({ name }) => countryCode(name))).toEqual(countries.map(({ code }) => code));
});

test("a postal code has five digits in France and four in the other countries", () => {
  expect(countries.map(({ name }) => postalCodeLength(name))).toEqual([5, 4, 4, 4]);
});

test("a postal code is shown with its leading zeros, and none as nothing", () => {
  expect(formatPostalCode(1000, "France")).toBe("01000");
  expect(formatPostalCode(75011, "France")).toBe("75011");
  expect(formatPostalCode(1000, "Belgique")).toBe("1000");
  expect(formatPostalCode(7, "Luxembourg")).toBe("0007");
  expect(formatPostalCode(0, "France")).toBe("");
  expect(formatPostalCode(0, "Suisse")).toBe("");
});
