import { expect, test } from "vitest";
import { overText } from "./alerte-page.tsx";

test("a link is over when the server says so, whatever this device's clock", () => {
  expect(overText({ etat: "valide" })).toBeNull();
  expect(overText({ etat: "expire" })).toBe("Ce lien a expiré");
  expect(overText({ etat: "utilise" })).toBe("Ce lien a déjà servi");
});
