/** Layout of a screen: header, sections, panels and rows. */
import { createContext, type ReactNode, type Ref, use, useEffect, useLayoutEffect, useRef } from 'react'
import { t } from '../strings/en.ts'
import { classes } from './class-names.ts'
import styles from './page.module.css'
import { useSought } from './sought.ts'

interface PageProps {
  /** Above the title, such as a link back. */
  readonly before?: ReactNode
  readonly title: string
  /** One sentence that explains the screen. */
  readonly lead?: ReactNode
  /** The main action of the screen. */
  readonly action?: ReactNode
  /** For content with long lines. */
  readonly wide?: boolean
  /** For content that has two columns in a very wide window. */
  readonly columns?: boolean
  readonly children: ReactNode
}

/** Elements that each screen shows above its header. */
export const PageTabs = createContext<ReactNode>(undefined)

let hasNavigated = false

/** Called by the router. The first screen of a visit does not move the focus. */
export function markNavigation(): void {
  hasNavigated = true
}

/** Sets the title of the window. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = t.app.title(title)
  }, [title])
}

/** A screen. Navigating to it focuses its heading, so that screen readers announce the name. */
export function Page(props: PageProps) {
  const { before, title, lead, action, wide = false, columns = false, children } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useTitle(title)
  // A layout effect: a section of the screen that is sought takes the focus after it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: run for each screen
  useLayoutEffect(() => {
    if (hasNavigated) heading.current?.focus({ preventScroll: true })
  }, [title])
  return (
    <div className={classes(styles.page, wide && styles.wide, columns && styles.broad)}>
      {use(PageTabs)}
      <header className={styles.header}>
        <div>
          {before}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p className={styles.lead}>{lead}</p>}
        </div>
        {action && <div className="buttons">{action}</div>}
      </header>
      {children}
    </div>
  )
}

/** Sections in one column, in a very wide window in two: down the first, then down the second. */
export function Columns({ children }: { readonly children: ReactNode }) {
  return <div className={styles.columns}>{children}</div>
}

interface SectionProps {
  readonly title: string
  readonly lead?: ReactNode
  readonly action?: ReactNode
  readonly children: ReactNode
}

interface FoldedSectionProps extends SectionProps {
  /** Whether it is open at first. */
  readonly isOpen?: boolean
  readonly ref?: Ref<HTMLDetailsElement>
}

/** A section that is closed at first, for settings that few people need. */
export function FoldedSection({ title, lead, action, isOpen = false, ref, children }: FoldedSectionProps) {
  const summary = useSought<HTMLElement>(title)
  return (
    <details className={styles.folded} open={isOpen} ref={ref}>
      <summary ref={summary}>
        <h2>{title}</h2>
      </summary>
      <div className={styles.section}>
        {lead && <p className={styles.sectionLead}>{lead}</p>}
        {children}
        {action && <div className="buttons">{action}</div>}
      </div>
    </details>
  )
}

export function Section({ title, lead, action, children }: SectionProps) {
  const heading = useSought<HTMLHeadingElement>(title)
  return (
    <section className={styles.section}>
      <div className={styles.sectionHead}>
        <div>
          <h2 ref={heading} tabIndex={-1}>
            {title}
          </h2>
          {lead && <p className={styles.sectionLead}>{lead}</p>}
        </div>
        {action}
      </div>
      {children}
    </section>
  )
}

/** A framed container of rows. */
export function Panel({
  children,
  padded = false,
}: {
  readonly children: ReactNode
  readonly padded?: boolean
}) {
  return <div className={classes(styles.panel, padded && styles.padded)}>{children}</div>
}

interface RowListProps {
  readonly label: string
  /** Replaces the frame. */
  readonly className?: string | undefined
  readonly children: ReactNode
}

/** A framed list of rows. */
export function RowList({ label, className = styles.panel, children }: RowListProps) {
  return (
    <ul aria-label={label} className={className}>
      {children}
    </ul>
  )
}

export interface RowProps {
  readonly icon?: ReactNode
  readonly title: ReactNode
  readonly detail?: ReactNode
  readonly action?: ReactNode
  /** Below the rest, in the full width. */
  readonly more?: ReactNode
  /** Aligns icon and action with the title, for a long detail. */
  readonly top?: boolean
  /** `li` in a `RowList`. */
  readonly as?: 'div' | 'li'
}

export function Row({ icon, title, detail, action, more, top = false, as: Element = 'div' }: RowProps) {
  return (
    <Element className={classes(styles.row, top && styles.top)}>
      {icon && <div className={styles.rowIcon}>{icon}</div>}
      <div className={styles.rowText}>
        <div className={styles.rowTitle}>{title}</div>
        {detail && <div className={styles.rowDetail}>{detail}</div>}
      </div>
      {action && <div className={styles.rowAction}>{action}</div>}
      {more && <div className={styles.rowMore}>{more}</div>}
    </Element>
  )
}

/** The fields of a form, or the parts of a screen, one below the other. */
export function Stack({ children }: { readonly children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>
}
