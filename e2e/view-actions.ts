/** Actions that bring a page into a state: presses, and failing calls. */
import type { Page } from "@playwright/test";

export const press = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole("button", { name }).first().click();
};

/** Never answers the call, so that the page shows its waiting state. */
export const hold = (path: string) => async (page: Page) => {
  await page.route(`**${path}*`, () => undefined);
};

export const fail = (path: string) => async (page: Page) => {
  await page.route(`**${path}*`, (route) =>
    route.fulfill({ status: 500, contentType: "application/json", body: '{"error":"Panne"}' }),
  );
};

/** Passes a call through and changes its answer. */
export const alter = (path: string, change: (text: string) => string) => async (page: Page) => {
  await page.route(`**${path}*`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change(await response.text()) });
  });
};

/** Selects every filter of 'Mes filtres'. */
export async function selectFilters(page: Page): Promise<void> {
  const boxes = page.getByRole("checkbox", { name: /^Sélectionner/ });
  await boxes.first().waitFor();
  for (const box of await boxes.all()) await box.check();
}

export const scrollTo = (selector: string) => async (page: Page) => {
  await page.evaluate(`document.querySelector("${selector}").scrollIntoView({ behavior: "instant" })`);
};

export const openForm = async (page: Page): Promise<void> => {
  await press("Créer un nouveau filtre")(page);
  await page.getByRole("dialog").getByLabel("Tag *").waitFor();
};

/** A file with a filter like an existing one, one of the same tag, a new one and an unreadable one. */
export const openImport = async (page: Page): Promise<void> => {
  await press("Importer ou exporter")(page);
  await page.getByRole("button", { name: "Importer", exact: true }).click();
  const filtres = [
    { tag: "Robes d'été", types: { ids: [10] }, limit: 25 },
    { tag: "Baskets Nike", types: { ids: [16] }, limit: 45 },
    { tag: "Manteaux longs en laine pour l'hiver prochain", types: { ids: [1037] }, limit: 80 },
    { tag: "", limit: -1 },
  ];
  await page.getByLabel("Fichier de filtres").setInputFiles({
    name: "filtres-de-la-boutique.json",
    mimeType: "application/json",
    buffer: Buffer.from(JSON.stringify({ format: "synapse-filtres", version: 1, filtres })),
  });
  await page.getByRole("group", { name: "Filtres à importer" }).waitFor();
};

export const openPicker = (label: string) => async (page: Page) => {
  await openForm(page);
  const group = page.getByRole("dialog").getByRole("group", { name: label, exact: true });
  await group.getByRole("button").first().click();
};

export const openSettings = async (page: Page): Promise<void> => {
  await press("Paramètres utilisateur")(page);
  await page.getByRole("dialog").getByLabel("Rue").waitFor();
};

export const goOffline = async (page: Page): Promise<void> => {
  await page.context().setOffline(true);
};

/** Bypasses the page, which keeps showing its last data: later views find the account unchanged. */
export const resumeAutobuy = async (page: Page): Promise<void> => {
  const body = JSON.stringify({ limites: { arret: false } });
  await page.evaluate(`fetch("/vinted/edit", {
    method: "POST", headers: { "content-type": "application/json" }, body: ${JSON.stringify(body)},
  })`);
};

/** Every click is answered as a confirmed purchase, but nothing is bought. */
export const confirmClicks = async (page: Page): Promise<void> => {
  const product = {
    id: 1,
    title: "Robe d'été à fleurs",
    photo: null,
    brand_title: "Sézane",
    total_item_price: { amount: "12.60", currency_code: "EUR" },
    size_title: "M / 38 / 10",
    status: "Très bon état",
    path: "/items/1",
    url: "https://market.example/items/1",
    user: { login: "lea", photo: null },
  };
  const purchase = {
    _id: "vue",
    id_transaction: 1,
    status: 1,
    purchase_date: Math.floor(Date.now() / 1_000),
    purchase_confirmation: null,
    product,
    source: "clic",
    filtre: null,
    total: { amount: "15.49", currency_code: "EUR" },
    raison: null,
  };
  const body = JSON.stringify({ message: "Achat confirmé.", purchase });
  await page.route("**/purchase/click", (route) => route.fulfill({ contentType: "application/json", body }));
};
