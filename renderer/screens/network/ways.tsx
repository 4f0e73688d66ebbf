import { type ReactNode, useId } from 'react'
import { StartCommand } from '../../parts/network/start-command.tsx'
import { t } from '../../strings/en.ts'
import { Panel, Row, Section } from '../../ui/page.tsx'
import { Badge } from '../../ui/states.tsx'
import styles from './network.module.css'
import type { Network } from './owner-sections.tsx'

export type Way = keyof typeof t.network.wayLabels
export const ways = Object.keys(t.network.wayLabels) as Way[]

interface WayChoiceProps {
  readonly way: Way
  /** The one in use. It differs while the chosen one needs another step. */
  readonly current: Way
  onChange(way: Way): void
}

/** The three ways as a radio group. */
export function WayChoice({ way, current, onChange }: WayChoiceProps) {
  const name = useId()
  return (
    <fieldset className={styles.ways}>
      <legend className="visually-hidden">{t.network.ways}</legend>
      {ways.map((one) => (
        <label className={styles.way} data-current={one === current} key={one}>
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
            {one === way && one !== current && <Badge variant="warn">{t.network.notYet}</Badge>}
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
export function WayList({ network }: { readonly network: Network }) {
  const { way } = network
  return (
    <Section title={t.network.ways}>
      <Panel>
        {ways.map((one) => (
          <Row
            detail={<WayDetail isCurrent={one === way} network={network} way={one} />}
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

/** The flags of each way. Those of the others are left out. */
const flagsOf: Readonly<Record<Way, Readonly<Record<string, string | undefined>>>> = {
  thisComputer: { host: undefined, 'public-url': undefined, 'proxy-port': undefined },
  localNetwork: { 'public-url': undefined, 'proxy-port': undefined, host: '0.0.0.0' },
  public: { host: undefined, 'public-url': 'https://pds.example.com', 'proxy-port': '2584' },
}

interface WayDetailProps {
  readonly way: Way
  readonly isCurrent: boolean
  readonly network: Network
}

function WayDetail({ way, isCurrent, network }: WayDetailProps): ReactNode {
  if (isCurrent) return t.network.wayDetails[way]
  return (
    <>
      {t.network.wayDetails[way]}
      <details className={styles.how}>
        <summary>{t.network.howTo}</summary>
        <StartCommand flags={flagsOf[way]} network={network} />
      </details>
    </>
  )
}
