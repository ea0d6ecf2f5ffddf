/** 'Boîte de réception': a browser page of all received alerts, with working Telegram buttons. */
import { z } from "zod";
import { htmlAnswer, redirectAnswer, type Answer, type Incoming } from "../http/messages.ts";
import { frenchAgo, html, type Markup, page } from "../pages/layout.ts";
import type { Chats } from "./chats.ts";
import type { Reception, Receptions } from "./receptions.ts";

export interface Inbox {
  serve(incoming: Incoming): Answer;
}

interface InboxParts {
  readonly receptions: Receptions;
  readonly chats: Chats;
  readonly nowMs: () => number;
}

const SHOWN = 60;
const SHOWN_OF_CHAT = 12;
/** The chat of a person who tries the product in a browser. */
const OWN_CHAT = 1;

export function createInbox(parts: InboxParts): Inbox {
  const { chats } = parts;
  return {
    serve({ method, path, query, body, headers }) {
      if (method === "GET" && path === "/boite") return htmlAnswer(200, inboxPage(parts, query));
      if (method !== "POST")
        return htmlAnswer(404, page("Introuvable", html`<h1>Cette page n'existe pas.</h1>`));
      // CSRF: a form of another site must not press buttons.
      if ((headers["sec-fetch-site"] ?? "same-origin") !== "same-origin")
        return htmlAnswer(403, page("Refusé", html`<h1>Cette demande ne vient pas de cette page.</h1>`));
      const form = new URLSearchParams(body);
      const chat = z.coerce.number().int().min(1).safeParse(form.get("chat"));
      if (path === "/boite/ecrire" && chat.success) chats.write(chat.data, form.get("texte") ?? "");
      if (path === "/boite/presser" && chat.success) {
        const pressed = chats.press(chat.data, Number(form.get("message")), form.get("bouton") ?? "");
        if (pressed?.url !== undefined && pressed.url !== null) return redirectAnswer(pressed.url);
      }
      return redirectAnswer("/boite");
    },
  };
}

function inboxPage({ receptions, chats, nowMs }: InboxParts, query: URLSearchParams): string {
  const received = receptions.newest(SHOWN).filter(({ canal }) => canal !== "telegram");
  const numbers = chats.numbers();
  const [, code] = /^([A-Z0-9]{8})$/u.exec(query.get("start") ?? "") ?? [];
  return page(
    "Boîte de réception",
    html`<h1>Boîte de réception</h1>
      <p class="quiet">Ce qui est arrivé sur les appareils, conversations, salons et adresses d'essai.</p>
      <p><a href="/boite">Actualiser</a></p>
      ${code === undefined ? [] : [startForm(code)]} ${numbers.map((number) => chatCard(chats, number))}
      ${received.length === 0 && numbers.length === 0 ? [html`<p>Rien n'est encore arrivé.</p>`] : []}
      <div class="stack">${received.map((one) => receivedCard(one, nowMs()))}</div>`,
  );
}

function startForm(code: string): Markup {
  return html`<form class="card narrow stack" method="post" action="/boite/ecrire">
    <h2>Telegram</h2>
    <label for="texte">Écrire au robot</label>
    <input id="texte" name="texte" value="/start ${code}" />
    <input type="hidden" name="chat" value="${OWN_CHAT}" />
    <button class="button" type="submit">Envoyer</button>
  </form>`;
}

function chatCard(chats: Chats, number: number): Markup {
  const messages = chats.messages(number).slice(-SHOWN_OF_CHAT);
  return html`<h2>Telegram, conversation ${number}</h2>
    <div class="stack">
      ${messages.map(
        ({ message_id: id, de, texte, boutons, sonore }) =>
          html`<article class="card narrow" style="margin:0">
            <p class="quiet">
              ${de === "robot" ? (sonore ? "Synapse, sonore" : "Synapse, silencieux") : "Vous"}
            </p>
            <p style="white-space:pre-line">${texte}</p>
            <div class="stack">
              ${boutons.map(
                ({ texte: label }) =>
                  html`<form method="post" action="/boite/presser">
                    <input type="hidden" name="chat" value="${number}" />
                    <input type="hidden" name="message" value="${id}" />
                    <input type="hidden" name="bouton" value="${label}" />
                    <button class="button" type="submit">${label}</button>
                  </form>`,
              )}
            </div>
          </article>`,
      )}
    </div>`;
}

const CHANNELS: Readonly<Record<string, string>> = {
  push: "Appareil",
  discord: "Discord",
  courriel: "E-mail",
};

const pushContent = z.object({
  titre: z.string(),
  corps: z.string(),
  url: z.string(),
  sonore: z.boolean(),
  actions: z.array(z.object({ titre: z.string(), url: z.string() })),
});
const discordContent = z.object({
  embeds: z.array(z.object({ title: z.string(), description: z.string(), url: z.string() })).min(1),
});
const mailContent = z.object({ sujet: z.string(), texte: z.string() });

/** Extracts the text of an alert, whatever its channel. */
function readContent(contenu: unknown) {
  const push = pushContent.safeParse(contenu).data;
  if (push !== undefined) {
    const links = push.actions.length === 0 ? [{ titre: "Ouvrir", url: push.url }] : push.actions;
    return { title: push.titre, text: push.corps, links };
  }
  const [embed] = discordContent.safeParse(contenu).data?.embeds ?? [];
  if (embed !== undefined) {
    const text = embed.description.replaceAll("\\", "");
    return { title: embed.title.replaceAll("\\", ""), text, links: [{ titre: "Ouvrir", url: embed.url }] };
  }
  const mail = mailContent.safeParse(contenu).data;
  if (mail !== undefined) return { title: mail.sujet, text: mail.texte, links: [] };
  return { title: "Message chiffré", text: "Seul son destinataire peut le lire.", links: [] };
}

function receivedCard({ canal, pour, a, pris, statut, contenu }: Reception, nowMs: number): Markup {
  const { title, text, links } = readContent(contenu);
  const refused = pris ? "" : ` · refusé (${statut})`;
  return html`<article class="card narrow" style="margin:0">
    <p class="quiet">${CHANNELS[canal] ?? canal} ${pour} · ${frenchAgo(a, nowMs)}${refused}</p>
    <p><strong>${title}</strong></p>
    <p style="white-space:pre-line">${text}</p>
    <div class="stack">
      ${links.map(({ titre, url }) => html`<a class="button" href="${url}">${titre}</a>`)}
    </div>
  </article>`;
}
