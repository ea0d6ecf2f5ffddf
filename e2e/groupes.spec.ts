import type { Page } from "@playwright/test";
import { addFilter, expect, focusTaken, openNewFilter, press, signIn, test } from "./journey.ts";

const attributes = { catalog_id: 221 } as const;
const any = { types: { ids: [221] }, limit: 50 } as const;

test("filters that are grouped buy one article among them, and stop by themselves", async ({
  page,
  market,
}) => {
  await signIn(page, "thunder-groupe");
  await addFilter(page, { ...any, tag: "Laine", mots: ["groupelaine"], autobuy: true });
  await addFilter(page, { ...any, tag: "Caban", mots: ["groupecaban"], autobuy: true });
  await page.goto("/synapse/filtres");
  for (const tag of ["Laine", "Caban"])
    await page.getByRole("checkbox", { name: `Sélectionner ${tag}` }).check();
  await page.getByRole("button", { name: "Grouper" }).click();
  const window = page.getByRole("dialog", { name: "Grouper 2 filtres" });
  await focusTaken(window);
  await window.getByLabel("Nom").fill("Manteau");
  await window.getByLabel("Budget").fill("60");
  await page.keyboard.press("Enter");
  const row = page.getByRole("list", { name: "Groupes de filtres" }).getByRole("listitem");
  await expect(row).toContainText("Manteau · 0 sur 1 · 0,00 € sur 60 €");
  const card = page.getByRole("article", { name: "Caban" });
  await expect(card).toContainText("Groupe : Manteau");

  const first = await market.publish({ ...attributes, title: "Manteau groupelaine", price: 20 });
  await expect.poll(async () => (await market.ordersOf(first)).map(({ state }) => state)).toEqual(["paid"]);
  await expect(
    page.getByText("Groupe « Manteau » complet : l'achat automatique de 2 filtres est arrêté."),
  ).toBeVisible();
  await expect(row).toContainText("1 sur 1");
  await expect(row).toContainText("Complet");
  await expect(card).toContainText("Arrêté : groupe complet");
  await expect(card.getByRole("switch", { name: "Thunder" })).not.toBeChecked();
  // Published after the second, so that its purchase proves that the second would have been bought by then.
  await addFilter(page, { ...any, tag: "Témoin", mots: ["groupetemoin"], autobuy: true });
  const second = await market.publish({ ...attributes, title: "Manteau groupecaban", price: 20 });
  const witness = await market.publish({ ...attributes, title: "Manteau groupetemoin", price: 20 });
  await page.goto("/synapse/articles");
  await expect(page.getByRole("article").filter({ hasText: "groupecaban" })).toBeVisible();
  await expect.poll(async () => (await market.ordersOf(witness)).map(({ state }) => state)).toEqual(["paid"]);
  expect(await market.ordersOf(second)).toEqual([]);

  // With a free place the group is no longer complete, but its stopped filters stay stopped.
  await page.goto("/synapse/filtres");
  await row.getByRole("button", { name: "Actions du groupe" }).click();
  await row.getByRole("button", { name: "Modifier", exact: true }).click();
  await focusTaken(page.getByRole("dialog"));
  await page.getByRole("dialog").getByLabel("Acheter").fill("2");
  await page.keyboard.press("Enter");
  await expect(row).toContainText("1 sur 2");
  await expect(card).toContainText("Arrêté : le groupe était complet");
  await expect(card.getByRole("switch", { name: "Thunder" })).not.toBeChecked();
});

/** Rules by which a filter buys nothing by itself: its only day is days away. */
const regles = { jours: [((new Date().getDay() + 3) % 7) + 1] };

/** Groups all filters of the page's person through the product's API. */
async function groupAll(page: Page, name: string): Promise<void> {
  const status = await page.evaluate(async (nom) => {
    const { filtres } = (await (await fetch("/filtres/get")).json()) as { filtres: { _id: string }[] };
    const body = JSON.stringify({ nom, filtres: filtres.map(({ _id }) => _id) });
    const headers = { "content-type": "application/json" };
    return (await fetch("/groupes/add", { method: "POST", headers, body })).status;
  }, name);
  expect(status).toBe(200);
}

test("after a click on an article that a group wants, the message offers to stop the group", async ({
  page,
  market,
}) => {
  await signIn(page, "thunder-groupe-clic");
  await addFilter(page, { ...any, tag: "Bottes", mots: ["groupebottes"], autobuy: true, regles });
  await groupAll(page, "Bottes");
  // The groups are read before the click: its message offers nothing about groups that are not known yet.
  await page.goto("/synapse/filtres");
  await expect(page.getByRole("list", { name: "Groupes de filtres" })).toContainText("Bottes");
  await page.getByRole("link", { name: "Produits" }).first().click();
  await market.publish({ ...attributes, title: "Des groupebottes", price: 20 });
  const card = page.getByRole("article").filter({ hasText: "groupebottes" });
  await press(card.getByRole("button", { name: "Acheter" }));
  // The stop does not depend on the read of the groups, which gets no answer here.
  await page.route("**/groupes/get", () => undefined);
  await page.getByRole("button", { name: "Arrêter le groupe" }).click();
  await expect(page.getByText("Groupe « Bottes » arrêté : ses filtres n'achètent plus.")).toBeVisible();
  await page.unroute("**/groupes/get");
  await page.goto("/synapse/filtres");
  await expect(
    page.getByRole("article", { name: "Bottes" }).getByRole("switch", { name: "Thunder" }),
  ).not.toBeChecked();
});

test("the offer stops the group as it is when pressed, not as it was at the click", async ({
  page,
  market,
}) => {
  await signIn(page, "thunder-groupe-change");
  const add = async (tag: string) =>
    await addFilter(page, { ...any, tag, mots: ["groupechange"], autobuy: true, regles });
  for (const tag of ["Premier", "Deuxième"]) await add(tag);
  await groupAll(page, "Gants");
  await page.goto("/synapse/filtres");
  await expect(page.getByRole("list", { name: "Groupes de filtres" })).toContainText("Gants");
  await page.getByRole("link", { name: "Produits" }).first().click();
  await market.publish({ ...attributes, title: "Gants groupechange", price: 20 });
  const card = page.getByRole("article").filter({ hasText: "groupechange" });
  await press(card.getByRole("button", { name: "Acheter" }));
  const stop = page.getByRole("button", { name: "Arrêter le groupe" });
  await expect(stop).toBeVisible();

  // Elsewhere, one filter is deleted and another joins the group.
  await add("Troisième");
  await page.evaluate(async () => {
    const read = async (path: string) => await (await fetch(path)).json();
    const send = async (path: string, body: object) => {
      const headers = { "content-type": "application/json" };
      await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    };
    const { filtres } = (await read("/filtres/get")) as { filtres: { _id: string; tag: string }[] };
    const idOf = (tag: string) => filtres.find((filtre) => filtre.tag === tag)?._id;
    const { groupes } = (await read("/groupes/get")) as { groupes: { _id: string; nom: string }[] };
    const ids = [idOf("Premier"), idOf("Troisième")];
    await send("/groupes/edit", { _id: groupes[0]?._id, nom: "Gants", achats: 1, filtres: ids });
    await send("/filtres/delete", { IDs: [idOf("Deuxième")] });
  });
  // Those of the click are stopped where the group is not read in time; one of them is gone.
  await page.route("**/groupes/get", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await route.continue();
  });
  await stop.click();
  await expect(page.getByText("Groupe « Gants » arrêté : ses filtres n'achètent plus.")).toBeVisible();
  await page.goto("/synapse/filtres");
  for (const tag of ["Premier", "Troisième"])
    await expect(
      page.getByRole("article", { name: tag }).getByRole("switch", { name: "Thunder" }),
    ).not.toBeChecked();
});

test("a filter's rules stand in one closed line, and are saved by keyboard", async ({ page }) => {
  await signIn(page, "thunder-regles");
  const window = await openNewFilter(page);
  await window.getByLabel("Tag *").fill("Réglé");
  await window.getByText("Options avancées").click();
  await expect(window.getByText("Règles d'achat")).toHaveCount(0);
  // It must not buy what other people's journeys look for.
  await window.getByLabel("Mots à contenir").fill("groupereglee");
  await window.getByRole("switch", { name: "Thunder" }).check();
  const line = window.locator("summary", { hasText: "Règles d'achat : aucune" });
  await line.focus();
  await page.keyboard.press("Enter");
  const budget = window.getByLabel("Budget par jour");
  await budget.fill("0");
  await window.getByRole("button", { name: "Créer le filtre" }).press("Enter");
  await expect(budget).toHaveAttribute("aria-invalid", "true");
  // The first digit makes the value valid: the field must stay open for the second.
  await budget.fill("");
  await page.keyboard.type("60");
  await expect(budget).toHaveValue("60");
  await expect(budget).toBeFocused();
  await window.getByLabel("Acheter de").fill("08:00");
  await window.getByLabel("à", { exact: true }).fill("23:00");
  for (const day of ["lun.", "mar.", "mer.", "jeu.", "ven.", "sam."])
    await window.getByRole("button", { name: day }).press("Space");
  await expect(window.getByText("Règles d'achat : 60 € par jour, 8 h – 23 h, lun. – sam.")).toBeVisible();
  await window.getByRole("button", { name: "Créer le filtre" }).press("Enter");
  await expect(page.getByText("Filtre « Réglé » ajouté.")).toBeVisible();
  await page.goto("/synapse/filtres");
  await page.getByRole("button", { name: "Modifier" }).first().click();
  await expect(window.getByText("Règles d'achat : 60 € par jour, 8 h – 23 h, lun. – sam.")).toBeVisible();
});

test("hours that were typed without their minutes hold the filter back", async ({ page }) => {
  await signIn(page, "thunder-heures");
  const window = await openNewFilter(page);
  await window.getByLabel("Tag *").fill("Horaire");
  await window.getByText("Options avancées").click();
  await window.getByLabel("Mots à contenir").fill("groupehoraire");
  await window.getByRole("switch", { name: "Thunder" }).check();
  await window.locator("summary", { hasText: "Règles d'achat" }).click();
  const [from, to] = [window.getByLabel("Acheter de"), window.getByLabel("à", { exact: true })];
  const problem = window.getByText("Indiquez les heures et les minutes.");
  await from.focus();
  await page.keyboard.type("08");
  await to.focus();
  await page.keyboard.type("20");
  await expect(window.getByText("Règles d'achat : à corriger")).toBeVisible();
  await page.keyboard.press("Enter");
  for (const field of [from, to])
    await expect(field).toHaveAccessibleDescription("Indiquez les heures et les minutes.");
  await from.fill("08:00");
  await to.fill("20:00");
  await expect(problem).toHaveCount(0);
  await to.press("Backspace");
  await expect(to).toHaveAccessibleDescription("Indiquez les heures et les minutes.");
  await to.fill("20:00");
  await window.getByRole("button", { name: "Créer le filtre" }).press("Enter");
  await expect(page.getByText("Filtre « Horaire » ajouté.")).toBeVisible();
});

test("more than three groups are folded away above the filters", async ({ page }) => {
  await signIn(page, "thunder-groupes-nombreux");
  for (const tag of ["Un", "Deux", "Trois", "Quatre"])
    await addFilter(page, { ...any, tag, mots: ["groupesnombreux"], autobuy: true });
  await page.evaluate(async () => {
    const answer = (await (await fetch("/filtres/get")).json()) as {
      filtres: { _id: string; tag: string }[];
    };
    const headers = { "content-type": "application/json" };
    for (const { _id, tag } of answer.filtres)
      await fetch("/groupes/add", {
        method: "POST",
        headers,
        body: JSON.stringify({ nom: `Groupe ${tag}`, filtres: [_id] }),
      });
  });
  await page.goto("/synapse/filtres");
  const rows = page.getByRole("list", { name: "Groupes de filtres" });
  await expect(page.getByText("4 groupes")).toBeVisible();
  await expect(rows).toBeHidden();
  await page.getByText("4 groupes").click();
  await expect(rows.getByRole("listitem")).toHaveCount(4);
});
