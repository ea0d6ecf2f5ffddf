/** Escaped HTML: the `html` tag escapes every value that is not Markup itself. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | Markup | readonly Markup[];

export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Markup {
  const text = parts.reduce((before, part, index) => {
    const value = values[index - 1];
    return `${before}${value === undefined ? "" : toText(value)}${part}`;
  });
  return new Markup(text);
}

function toText(value: Value): string {
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(({ text }) => text).join("");
  return String(value).replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** The HTML layout of all pages, with light and dark themes. */
export function page(title: string, content: Markup): string {
  return html`<!doctype html>
    <html lang="fr">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Bac à sable</title>
        <style>
          ${STYLE}
        </style>
      </head>
      <body>
        <header>
          <a href="/" class="mark">Bac à sable</a
          ><span class="note">Place de marché fictive : rien n'est réel, rien n'est débité.</span>
        </header>
        <main>${content}</main>
      </body>
    </html>`.text;
}

const STYLE = new Markup(`
:root { color-scheme: light dark; --ground: #f5f4f1; --card: #fff; --text: #22262b; --quiet: #646b74; --line: #dfdcd5;
  --accent: #0b6e6a; --on-accent: #fff; --danger: #b3261e; --shade: 0 1px 2px #0001, 0 8px 24px #0000000d; }
@media (prefers-color-scheme: dark) { :root { --ground: #15181b; --card: #1e2226; --text: #e9ebed; --quiet: #9aa3ac;
  --line: #33393f; --accent: #4fc3bc; --on-accent: #0a2624; --danger: #f2877f; --shade: none; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif;
  overflow-wrap: anywhere; }
header { display: flex; flex-wrap: wrap; gap: 4px 16px; align-items: baseline; padding: 14px clamp(16px, 4vw, 40px);
  border-bottom: 1px solid var(--line); background: var(--card); }
.mark { font-weight: 700; color: var(--accent); text-decoration: none; letter-spacing: -.01em; }
.note, .quiet { color: var(--quiet); font-size: 14px; }
main { max-width: 1080px; margin: 0 auto; padding: clamp(20px, 4vw, 44px) clamp(16px, 4vw, 40px) 64px; }
h1 { font-size: clamp(22px, 3vw, 28px); line-height: 1.2; margin: 0 0 6px; letter-spacing: -.02em; text-wrap: balance; }
h2 { font-size: 14px; font-weight: 600; color: var(--quiet); margin: 28px 0 10px; }
p { margin: 0 0 12px; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 6px; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 14px; box-shadow: var(--shade); }
.narrow { max-width: 480px; margin: 0 auto; padding: clamp(20px, 4vw, 32px); }
.button { display: inline-block; width: 100%; padding: 12px 18px; border: 1px solid var(--accent); border-radius: 10px;
  background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; text-align: center;
  text-decoration: none; cursor: pointer; }
.button:hover { filter: brightness(1.08); }
.button.plain { background: none; color: var(--danger); border-color: var(--line); }
.stack { display: grid; gap: 10px; }
.amount { font-size: 32px; font-weight: 700; letter-spacing: -.02em; font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 8px 20px; margin: 20px 0; }
dt { color: var(--quiet); } dd { margin: 0; }
.item { display: grid; gap: clamp(20px, 4vw, 44px); grid-template-columns: minmax(0, 5fr) minmax(0, 4fr); align-items: start; }
@media (max-width: 720px) { .item { grid-template-columns: 1fr; } }
.photo { display: block; width: 100%; aspect-ratio: 3 / 4; object-fit: cover; border-radius: 14px; background: var(--line); }
.seller { display: flex; gap: 12px; align-items: center; padding-top: 18px; border-top: 1px solid var(--line); }
.seller img, .person img { width: 44px; height: 44px; border-radius: 50%; background: var(--line); flex: none; }
.badge { display: inline-block; padding: 2px 10px; border-radius: 99px; border: 1px solid var(--line); font-size: 14px;
  font-weight: 600; }
.grid { display: grid; gap: 20px 14px; grid-template-columns: repeat(auto-fill, minmax(150px, 1fr)); margin-top: 24px; }
.grid a { color: inherit; text-decoration: none; display: block; font-size: 14px; line-height: 1.35; }
.grid .photo { border-radius: 10px; margin-bottom: 8px; }
.grid strong { display: block; font-variant-numeric: tabular-nums; }
.grid span { display: block; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; color: var(--quiet); }
.person { display: flex; gap: 14px; align-items: center; padding: 10px 14px; color: inherit; text-decoration: none; }
.person + .person { border-top: 1px solid var(--line); }
.person:hover { background: color-mix(in srgb, var(--accent) 8%, transparent); }
.person strong { display: block; }
label { display: block; font-weight: 600; margin-bottom: 6px; }
input { width: 100%; padding: 11px 14px; border: 1px solid var(--line); border-radius: 10px; background: var(--ground);
  color: inherit; font: inherit; }
.row { display: flex; gap: 10px; } .row .button { width: auto; }
.error { color: var(--danger); }
`);

const euros = new Intl.NumberFormat("fr-FR", { style: "currency", currency: "EUR" });
const day = new Intl.DateTimeFormat("fr-FR", {
  dateStyle: "long",
  timeStyle: "short",
  timeZone: "Europe/Paris",
});
const relative = new Intl.RelativeTimeFormat("fr-FR", { numeric: "auto" });

export function frenchAmount(cents: number): string {
  return euros.format(cents / 100);
}

export function frenchMoment(atMs: number): string {
  return day.format(atMs);
}

/** "il y a 4 minutes" */
export function frenchAgo(atMs: number, nowMs: number): string {
  const seconds = Math.round((atMs - nowMs) / 1_000);
  if (seconds > -60) return relative.format(seconds, "second");
  if (seconds > -3_600) return relative.format(Math.round(seconds / 60), "minute");
  return relative.format(Math.round(seconds / 3_600), "hour");
}
