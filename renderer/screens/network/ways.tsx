import { type ReactNode, useId } from 'react'
import { t } from '../../strings/en.ts'
import { CopyBlock } from '../../ui/copy.tsx'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import styles from './network.module.css'

export type Way = keyof typeof t.network.wayLabels
export const ways = Object.keys(t.network.wayLabels) as Way[]

interface WayChoiceProps {
  readonly way: Way
  onChange(way: Way): void
}

/** The three ways as a radio group. */
export function WayChoice({ way, onChange }: WayChoiceProps) {
  const name = useId()
  return (
    <fieldset className={styles.ways}>
      <legend className="visually-hidden">{t.network.ways}</legend>
      {ways.map((one) => (
        <label className={styles.way} key={one}>
          <input
            aria-describedby={`${name}-${one}-detail`}
            aria-labelledby={`${name}-${one}`}
            checked={one === way}
            name={name}
            onChange={() => onChange(one)}
            type="radio"
          />
          <span>
            <span className={styles.wayName} id={`${name}-${one}`}>
              {t.network.wayLabels[one]}
            </span>
            <span className="soft" id={`${name}-${one}-detail`}>
              {t.network.wayDetails[one]}
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** The three ways of a server that was started from a command line: the current one, and how to start the others. */
export function WayList({ way }: { readonly way: string }) {
  return (
    <Section title={t.network.ways}>
      <Panel>
        {ways.map((one) => (
          <Row
            detail={<WayDetail isCurrent={one === way} way={one} />}
            key={one}
            title={
              <>
                {t.network.wayLabels[one]} {one === way && <Badge variant="good">{t.network.current}</Badge>}
              </>
            }
          />
        ))}
      </Panel>
    </Section>
  )
}

function WayDetail({ way, isCurrent }: { readonly way: Way; readonly isCurrent: boolean }): ReactNode {
  if (isCurrent) return t.network.wayDetails[way]
  return (
    <>
      {t.network.wayDetails[way]}
      <details className={styles.how}>
        <summary>{t.network.howTo}</summary>
        <CopyBlock label={t.ui.copyCommand} text={t.network.wayCommands[way]} wrap />
      </details>
    </>
  )
}
