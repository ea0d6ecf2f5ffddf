import "./page-failed.css";

/**
 * A screen that failed, or whose code is gone because a newer version took its place; the panel around it stays. Needs
 * no library to be drawn.
 */
export function PageFailed() {
  return (
    <div className="page-failed">
      <h1>Cette page n'a pas pu s'afficher</h1>
      <p>Une version plus récente est peut-être en ligne. Vos filtres et vos achats sont en sécurité.</p>
      <button type="button" onClick={() => window.location.reload()}>
        Recharger la page
      </button>
    </div>
  );
}

/** The panel itself failed: nothing else is left on the page. */
export function PanelFailed() {
  return (
    <main>
      <PageFailed />
    </main>
  );
}
