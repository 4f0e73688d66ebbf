import {
  ArrowDownToLine,
  BellRing,
  BookOpen,
  Copy,
  Laptop,
  Link2,
  type LucideIcon,
  Mail,
  PanelTop,
  RadioTower,
  ShieldCheck,
  UsersRound,
} from 'lucide-react'
import { Link } from 'wouter'
import { usePolledUpstreams } from '../../api/upstreams.ts'
import { t } from '../../strings/en.ts'
import { formatList } from '../../strings/format.ts'
import { Panel } from '../../ui/page.tsx'
import { sought } from '../../ui/sought.ts'
import { Badge, EmptyState } from '../../ui/states.tsx'
import styles from './connection-map.module.css'
import { type MapPlace, placesOf } from './map-layout.ts'
import type { Outgoing, Purpose } from './outgoing-section.tsx'
import type { Network } from './owner-sections.tsx'
import { type Place, placeOf } from './places.ts'

const icons: Readonly<Partial<Record<Purpose, LucideIcon>>> = {
  directory: BookOpen,
  relays: RadioTower,
  appView: PanelTop,
  upstreams: ArrowDownToLine,
  friends: UsersRound,
  backlinks: Link2,
  copies: Copy,
  push: BellRing,
  mail: Mail,
}

interface ConnectionMapProps {
  readonly network: Network
  readonly outgoing: readonly Outgoing[]
}

/** This computer, with a line to each service that it is connected with. */
export function ConnectionMap({ network, outgoing }: ConnectionMapProps) {
  const failing = useFailing(network)
  const nodes = outgoing.filter(({ state }) => state === 'on')
  if (nodes.length === 0) {
    return <EmptyState icon={ShieldCheck} text={t.network.mapNoneText} title={t.network.mapNone} />
  }
  const places = placesOf(nodes.length)
  const isFailing = ({ purpose }: Outgoing) => failing.includes(purpose)
  return (
    <Panel padded>
      <div className={styles.map}>
        <svg
          aria-label={t.network.map(formatList(nodes.map(({ purpose }) => t.network.purposes[purpose])))}
          className={styles.lines}
          preserveAspectRatio="none"
          role="img"
          viewBox="0 0 100 100"
        >
          {nodes.map((node, index) => (
            <path d={places[index]?.line} data-failing={isFailing(node)} key={node.purpose} />
          ))}
        </svg>
        <div className={styles.middle}>
          <Laptop aria-hidden size={24} strokeWidth={1.75} />
          <span className={styles.name}>{t.network.wayLabels.thisComputer}</span>
          <span className={styles.detail}>
            {t.network.mapWays[network.way as keyof typeof t.network.mapWays]}
          </span>
        </div>
        <ul aria-label={t.network.mapNodes} className={styles.nodes}>
          {nodes.map((node, index) => (
            <Node
              isFailing={isFailing(node)}
              key={node.purpose}
              node={node}
              opens={placeOf(node.purpose, network)}
              place={places[index]}
            />
          ))}
        </ul>
      </div>
    </Panel>
  )
}

/** The services that do not answer, of those whose state is known. */
function useFailing({ backlinks }: Network): readonly Purpose[] {
  const { data } = usePolledUpstreams()
  const isCutOff = data?.upstreams.some(({ state }) => state === 'waiting' || state === 'cutOff')
  return [
    ...(isCutOff ? (['upstreams'] as const) : []),
    ...(backlinks?.state === 'waiting' ? (['backlinks'] as const) : []),
  ]
}

interface NodeProps {
  readonly node: Outgoing
  readonly place: MapPlace | undefined
  readonly opens: Place
  readonly isFailing: boolean
}

/** A service, with a link to the section that shows or changes it. */
function Node({ node: { purpose, targets }, place, opens, isFailing }: NodeProps) {
  const Icon = icons[purpose] ?? Link2
  const [target, ...others] = targets
  return (
    <li
      className={styles.node}
      data-failing={isFailing}
      style={place && { gridColumn: place.side === 'left' ? 1 : 3, gridRow: `${place.row} / span 2` }}
    >
      <Link
        href={opens.path}
        onClick={() =>
          sought.set(opens.title === undefined ? undefined : { path: opens.path, title: opens.title })
        }
      >
        <Icon aria-hidden size={18} strokeWidth={1.75} />
        <span className={styles.texts}>
          <span className={styles.name}>
            {t.network.purposes[purpose]} {isFailing && <Badge variant="warn">{t.network.mapFailing}</Badge>}
          </span>
          {target !== undefined && (
            <span className={styles.detail}>{t.network.mapTargets(target, others.length)}</span>
          )}
        </span>
      </Link>
    </li>
  )
}
