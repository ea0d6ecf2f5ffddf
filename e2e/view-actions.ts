/** What brings a page into a state that is looked at: presses, and calls that go wrong. */
import type { Page } from "@playwright/test";

export const press = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole("button", { name }).first().click();
};

/** Answers nothing at all: what a page shows while it waits. */
export const hold = (path: string) => async (page: Page) => {
  await page.route(`**${path}*`, () => undefined);
};

export const fail = (path: string) => async (page: Page) => {
  await page.route(`**${path}*`, (route) =>
    route.fulfill({ status: 500, contentType: "application/json", body: '{"error":"Panne"}' }),
  );
};

/** Lets a call through and changes what it answers. */
export const alter = (path: string, change: (text: string) => string) => async (page: Page) => {
  await page.route(`**${path}*`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: change(await response.text()) });
  });
};

export const scrollTo = (selector: string) => async (page: Page) => {
  await page.evaluate(`document.querySelector("${selector}").scrollIntoView({ behavior: "instant" })`);
};

export const openForm = async (page: Page): Promise<void> => {
  await press("Créer un nouveau filtre")(page);
  await page.getByRole("dialog").getByLabel("Tag *").waitFor();
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
