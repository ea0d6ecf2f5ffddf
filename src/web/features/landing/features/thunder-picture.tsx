import { Garment } from "../preview/garment.tsx";
import "./picture.css";
import "./thunder-picture.css";

/** Three wishes for one article; the order in which they are served. */
export function ThunderPicture() {
  return (
    <figure
      className="picture thunder"
      aria-label="Pour un même article, Thunder est servi en premier, Acquire ensuite"
    >
      <div className="thunder__piece">
        <Garment name="dress" cloth="#b4532f" wall="#e0d2c4" />
      </div>
      <ol className="thunder__queue">
        <li data-lane="thunder">
          <span className="thunder__rank">1</span>
          <span className="thunder__lane">Thunder</span>
          <span className="thunder__run" aria-hidden="true" />
        </li>
        <li data-lane="acquire">
          <span className="thunder__rank">2</span>
          <span className="thunder__lane">Acquire, filtre de Nora</span>
          <span className="thunder__run" aria-hidden="true" />
        </li>
        <li data-lane="acquire">
          <span className="thunder__rank">3</span>
          <span className="thunder__lane">Acquire, filtre de Sami</span>
          <span className="thunder__run" aria-hidden="true" />
        </li>
      </ol>
      <p className="thunder__words">
        Un article, un seul achat&nbsp;: la file évite que les abonnés de Synapse se disputent la même pièce.
      </p>
    </figure>
  );
}
