import { hashOf } from "../world/draws.ts";
import { page, html, type Markup } from "../pages/layout.ts";

interface Persona {
  readonly name: string;
  readonly hint: string;
}

const PERSONAS: readonly { readonly plan: string; readonly personas: readonly Persona[] }[] = [
  {
    plan: "Seeker",
    personas: [
      { name: "seeker-camille", hint: "Filtres, flux et achat en un clic ; compte de marché connecté" },
      { name: "seeker-hugo", hint: "Le même abonnement, une autre personne" },
    ],
  },
  {
    plan: "Acquire",
    personas: [
      { name: "acquire-nora", hint: "Ajoute l'achat automatique ; compte de marché connecté" },
      { name: "acquire-paul", hint: "Le même abonnement, une autre personne" },
    ],
  },
  {
    plan: "Thunder",
    personas: [
      { name: "thunder-lea", hint: "L'achat automatique le plus rapide, avant tous les autres" },
      { name: "thunder-max", hint: "Le même abonnement, une autre personne" },
    ],
  },
  {
    plan: "Sans abonnement",
    personas: [{ name: "nouveau-sam", hint: "Arrive sur la liste d'attente, réglages vides" }],
  },
];

/**
 * Lets the person choose an account.
 * @param refusedName the rejected input, if any
 */
export function signInPage(query: URLSearchParams, refusedName: string | null): string {
  const choose = (name: string): string => {
    const chosen = new URLSearchParams(query);
    chosen.set("persona", name);
    return `?${chosen.toString()}`;
  };
  const refusing = new URLSearchParams(query);
  refusing.set("refuse", "1");
  return page(
    "Connexion",
    html`<div class="card narrow">
      <h1>Se connecter en tant que…</h1>
      <p class="quiet">
        L'application demande votre identité et votre adresse e-mail. Choisissez une personne, sans mot de
        passe.
      </p>
      ${PERSONAS.map(
        ({ plan, personas }) =>
          html`<h2>${plan}</h2>
            <div class="card">${personas.map((persona) => personaLink(persona, choose))}</div>`,
      )}
      <h2>Quelqu'un d'autre</h2>
      <form method="get">
        ${[...query].filter(([name]) => name !== "persona").map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
        <label for="persona">Nom</label>
        <div class="row">
          <input
            id="persona"
            name="persona"
            required
            pattern="[a-z0-9\\-]{1,64}"
            maxlength="64"
            autocomplete="off"
            spellcheck="false"
            value="${refusedName ?? ""}"
            aria-describedby="persona-hint"
          /><button class="button">Continuer</button>
        </div>
        <p id="persona-hint" class="${refusedName === null ? "quiet" : "error"}">
          Lettres minuscules, chiffres et tirets. Un nom qui commence par seeker, acquire ou thunder reçoit
          cet abonnement.
        </p>
      </form>
      <p><a href="?${refusing.toString()}">Refuser l'accès</a></p>
    </div>`,
  );
}

function personaLink({ name, hint }: Persona, choose: (name: string) => string): Markup {
  return html`<a class="person" href="${choose(name)}"
    ><img src="/avatars/${hashOf(name)}.svg" alt="" /><span
      ><strong>${name}</strong><span class="quiet">${hint}</span></span
    ></a
  >`;
}

export function wrongRequestPage(reason: string): string {
  return page(
    "Demande refusée",
    html`<div class="card narrow">
      <h1>Cette demande ne peut pas être suivie</h1>
      <p>${reason}</p>
    </div>`,
  );
}
