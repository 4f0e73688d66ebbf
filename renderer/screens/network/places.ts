/** Where the owner sees and changes a reason for requests. */
import { isAtServer } from '../../api/endpoint.ts'
import { desktop } from '../../bridge.ts'
import { t } from '../../strings/en.ts'
import type { Purpose } from './outgoing-section.tsx'
import type { Network } from './owner-sections.tsx'

export interface Place {
  readonly path: string
  /** The title of a section of the screen. */
  readonly title?: string
}

/** Returns the section of a reason, or the list of all reasons if it has none here. */
export function placeOf(purpose: Purpose, { way }: Pick<Network, 'way'>): Place {
  const list = { path: '/network', title: t.network.outgoingAll }
  switch (purpose) {
    case 'directory':
    case 'appView':
      if (desktop) return { path: '/network', title: t.network.services }
      return isAtServer ? { path: '/server', title: t.network.services } : list
    case 'relays':
      return { path: '/network', title: t.network.relays }
    case 'upstreams':
      return { path: '/network', title: t.upstreams.title }
    case 'friends':
      return way === 'localNetwork' ? { path: '/network', title: t.friends.title } : list
    case 'backlinks':
      return { path: '/network', title: t.backlinks.title }
    case 'copies':
      return { path: '/backups', title: t.copies.title }
    case 'push':
      return { path: '/preferences' }
    case 'mail':
      return desktop || isAtServer ? { path: '/server', title: t.server.mail } : list
    case 'updates':
      return { path: '/about', title: t.about.updates }
    default:
      return list
  }
}
