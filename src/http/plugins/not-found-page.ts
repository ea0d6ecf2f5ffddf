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
        background: light-dark(#f7f8f9, #0e1013);
        color: light-dark(#14171a, #f1f3f5);
        font: 16px/1.5 system-ui, sans-serif;
        margin: 0;
        min-height: 100dvh;
        padding: 24px;
        text-align: center;
      }
      a { color: inherit; }
    </style>
  </head>
  <body>
    <main>
      <h1>Page introuvable</h1>
      <p>Cette page n'existe pas ou n'existe plus.</p>
      <p><a href="/">Retour à l'accueil</a></p>
    </main>
  </body>
</html>
`;
}
