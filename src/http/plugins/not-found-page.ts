/** The page of an address that does not exist: one file, so that it stands even when the web is not built. */
export function notFoundPage(nonce: string): string {
  return `<!doctype html>
<html lang="fr">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="robots" content="noindex" />
    <title>Page introuvable – Synapse</title>
    <style nonce="${nonce}">
      :root { color-scheme: light dark; }
      body {
        align-content: center;
        background: light-dark(#f3f4ee, #0b0d0c);
        color: light-dark(#151915, #eef1ec);
        font: 15px/1.45 Archivo, Arial, "Liberation Sans", sans-serif;
        margin: 0;
        min-height: 100dvh;
        padding: 24px;
        text-align: center;
      }
      svg { width: 48px; height: 48px; color: light-dark(#476100, #c8ff3d); }
      h1 { margin: 16px 0 8px; font-size: 28px; letter-spacing: -0.015em; line-height: 1.15; }
      p { margin: 0; color: light-dark(#566056, #a3ada6); }
      a {
        align-items: center;
        background: #c8ff3d;
        border: 1px solid light-dark(#a4d312, transparent);
        border-radius: 10px;
        color: #10140a;
        display: inline-flex;
        font-weight: 700;
        margin-top: 24px;
        min-height: 44px;
        padding: 0 20px;
        text-decoration: none;
      }
    </style>
  </head>
  <body>
    <main>
      <svg viewBox="0 0 32 32" aria-hidden="true">
        <path d="M21.5 8.6A8 8 0 0 0 10 13.2c0 5.6 12 1.6 12 6.6a7.4 7.4 0 0 1-11.5 3.8" fill="none"
          stroke="currentColor" stroke-width="3.6" stroke-linecap="round" />
        <circle cx="24" cy="8.4" r="2.8" fill="currentColor" />
      </svg>
      <h1>Page introuvable</h1>
      <p>Cette page n'existe pas ou n'existe plus.</p>
      <a href="/">Retour à l'accueil</a>
    </main>
  </body>
</html>
`;
}
