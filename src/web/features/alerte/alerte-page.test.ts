import { expect, test } from "vitest";
import { overText } from "./alerte-page.tsx";

test("a link is over when the server says so, whatever this device's clock", () => {
  expect(overText({ etat: "valide" }, null)).toBeNull();
  expect(overText({ etat: "expire" }, null)).toBe("Ce lien a expiré");
  expect(overText({ etat: "utilise" }, null)).toBe("Ce lien a déjà servi");
});

test("a purchase that was cancelled says so with its reason, not that its link was used", () => {
  expect(overText({ etat: "utilise" }, { raison: "La banque a refusé." })).toBe(
    "Achat annulé. La banque a refusé.",
  );
  expect(overText({ etat: "utilise" }, { raison: null })).toBe("Achat annulé.");
  expect(overText({ etat: "valide" }, { raison: "La banque a refusé." })).toBeNull();
  expect(overText({ etat: "expire" }, { raison: "La banque a refusé." })).toBe("Ce lien a expiré");
});
