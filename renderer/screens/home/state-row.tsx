import { CloudUpload, Globe, Smartphone, UsersRound } from 'lucide-react'
import { com } from '../../../lexicons/generated/index.ts'
import { useOwnership } from '../../api/account.ts'
import { useBackups } from '../../api/backups.ts'
import type { Body } from '../../api/client.ts'
import { copiesScreen, placeName, useCopies } from '../../api/copies.ts'
import { endpoint } from '../../api/endpoint.ts'
import { useXrpcQuery } from '../../api/hooks.ts'
import { useOwnProfile } from '../../api/profile.ts'
import { useSession } from '../../api/sessions.ts'
import { desktop } from '../../bridge.ts'
import { type Clients, useClients } from '../../parts/apps/clients.ts'
import { type CopySummary, copySummary } from '../../parts/replicas/copy-state.ts'
import { t } from '../../strings/en.ts'
import { RelativeTime, useNow } from '../../ui/time.tsx'
import styles from './state-row.module.css'
import { Tile, type TileState } from './tile.tsx'

/** Whether all is well, in four facts. Each is read by itself, and leads to its screen. */
export function StateRow() {
  const isOwner = useOwnership()
  return (
    <ul aria-label={t.home.state} className={styles.row}>
      {isOwner === false ? <ServerTile /> : <NetworkTile />}
      {isOwner === false ? <OwnCopyTile /> : <CopyTile />}
      <ClientsTile />
      {isOwner === false ? <FollowsTile /> : <AccountsTile />}
    </ul>
  )
}

/** For figures that need no request. */
const known = <T,>(data: T) => ({ data, isError: false, isLoading: false, error: null, refetch: () => {} })

type Network = Body<typeof com.core.admin.getNetwork.main>

function NetworkTile() {
  const query = useXrpcQuery(com.core.admin.getNetwork, {}, { enabled: useOwnership() === true })
  return (
    <Tile figures={query} icon={Globe} name={t.home.network}>
      {networkState}
    </Tile>
  )
}

function networkState({ way, publicUrl, addresses: [address] }: Network): TileState {
  const href = '/network'
  if (way === 'public') return { value: t.home.ways.public, detail: hostOf(publicUrl), href }
  if (way === 'thisComputer') return { value: t.home.ways.thisComputer, detail: t.home.thisComputer, href }
  const value = t.home.ways.localNetwork
  return address === undefined
    ? { tone: 'warn', value, detail: t.home.offline, href }
    : { value, detail: hostOf(address), href }
}

function hostOf(url: string | undefined): string | undefined {
  return URL.parse(url ?? '')?.host
}

/** Only the owner may read who can connect. Everyone may open Network in the app window. */
function ServerTile() {
  const host = new URL(endpoint).host
  return (
    <Tile figures={known(host)} icon={Globe} name={t.home.server}>
      {(value) => ({ value, detail: t.home.serverDetail, href: desktop ? '/network' : undefined })}
    </Tile>
  )
}

function CopyTile() {
  const now = useNow()
  const query = useCopies()
  return (
    <Tile figures={query} icon={CloudUpload} name={t.home.copy}>
      {(copies) => copyState(copySummary(copies, now))}
    </Tile>
  )
}

function copyState({ state, place }: CopySummary): TileState {
  const href = copiesScreen
  const name = place && placeName(place.url)
  const copied = place?.lastCopiedAt && (
    <>
      {t.home.copied} <RelativeTime at={place.lastCopiedAt} isPast />
    </>
  )
  switch (state) {
    case 'none':
      return {
        tone: 'warn',
        value: t.home.noCopy,
        detail: <Backup />,
        href,
        action: t.home.makeCopy,
      }
    case 'first':
      return { value: t.home.firstCopy, href }
    case 'failing':
      return { tone: 'danger', value: t.home.copyFailing, href }
    case 'elsewhere':
      return { tone: 'danger', value: t.home.copyElsewhere, href }
    case 'current':
      return { tone: 'ok', value: t.home.copyCurrent, detail: copied, href }
    case 'copied':
    case 'old': {
      const isWell = state === 'copied' && place?.problem === undefined
      return { tone: isWell ? 'ok' : 'warn', value: copied, detail: place?.problem?.message ?? name, href }
    }
  }
}

/** When this computer was backed up last. */
function Backup() {
  const { data } = useBackups()
  if (!data) return null
  const [newest] = data.points
  if (!newest) return t.home.noBackup
  return (
    <>
      {t.home.backup} <RelativeTime at={newest.at} isPast />
    </>
  )
}

function OwnCopyTile() {
  return (
    <Tile figures={known(t.home.ownCopy)} icon={CloudUpload} name={t.home.copy}>
      {(value) => ({ value, detail: t.home.copyOfOwner, href: '/data' })}
    </Tile>
  )
}

function ClientsTile() {
  return (
    <Tile figures={useClients()} icon={Smartphone} name={t.home.clients}>
      {clientsState}
    </Tile>
  )
}

function clientsState({ signedIn, last }: Clients): TileState {
  const href = '/apps'
  if (!last) return { value: t.home.noClient, detail: t.home.clientDetail, href }
  const detail = (
    <>
      {last.name}, <RelativeTime at={last.at} isPast />
    </>
  )
  return { value: signedIn > 0 ? t.home.clientCount(signedIn) : t.home.noClientNow, detail, href }
}

function AccountsTile() {
  const query = useXrpcQuery(com.core.admin.listAccounts, { limit: 1 }, { enabled: useOwnership() === true })
  const { data: profile } = useOwnProfile(useSession().did)
  return (
    <Tile figures={query} icon={UsersRound} name={t.home.people}>
      {({ total }) => ({
        value: t.home.accountCount(total),
        detail: profile && t.home.followCount(profile.followsCount ?? 0),
        href: '/accounts',
      })}
    </Tile>
  )
}

function FollowsTile() {
  const { did } = useSession()
  return (
    <Tile figures={useOwnProfile(did)} icon={UsersRound} name={t.home.people}>
      {({ followsCount = 0, followersCount = 0 }) => ({
        value: t.home.followCount(followsCount),
        detail: t.home.followerCount(followersCount),
        href: `/people/${did}`,
      })}
    </Tile>
  )
}
