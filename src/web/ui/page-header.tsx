import { useEffect, type ReactNode } from "react";
import "./page-header.css";

interface PageHeaderProps {
  readonly title: string;
  readonly subtitle?: ReactNode;
  /** Buttons on the right, below the title on a phone. */
  readonly actions?: ReactNode;
}

export function PageHeader({ title, subtitle, actions }: PageHeaderProps) {
  useEffect(() => {
    document.title = `${title} — Synapse`;
  }, [title]);
  return (
    <header className="page-header row between">
      <div className="page-header__words">
        <h1>{title}</h1>
        {subtitle === undefined ? null : <p className="aside">{subtitle}</p>}
      </div>
      {actions === undefined ? null : <div className="page-header__actions row">{actions}</div>}
    </header>
  );
}
