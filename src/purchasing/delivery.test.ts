import { describe, expect, it } from "vitest";
import type { PickupPoint } from "#marketplace/marketplace.ts";
import { preferredPoint } from "./delivery.ts";

const point = (name: string): PickupPoint => ({
  uuid: name,
  code: name,
  name,
  rateUuid: "rate",
  latitude: 48,
  longitude: 2,
  priceCents: 300,
});

describe("preferredPoint()", () => {
  const points = [point("Tabac de la Gare"), point("Relais Colis Bastille"), point("L'Été Indien")];

  it("follows the person's order, not the marketplace's", () => {
    expect(preferredPoint(["Relais Colis Bastille", "Tabac de la Gare"], points)?.name).toBe(
      "Relais Colis Bastille",
    );
  });

  it("compares names folded: case, accents and punctuation do not count", () => {
    expect(preferredPoint(["l'ete INDIEN "], points)?.name).toBe("L'Été Indien");
  });

  it("answers null when none fits, and takes no half of a name", () => {
    expect(preferredPoint(["Tabac"], points)).toBeNull();
    expect(preferredPoint([], points)).toBeNull();
    expect(preferredPoint(["'"], [point("'")])).toBeNull();
  });
});
