/** The services of the network that servers use when their settings name them. */
import type { Config } from '../../../server/platform/config/config.ts'
import { wrongPush } from '../oracles/pushes.ts'
import { LinkService } from './link-service.ts'
import { MailServer } from './mail-server.ts'
import { ProxiedService } from './proxied-service.ts'
import { PushService } from './push-service.ts'
import { Relay } from './relay.ts'
import type { World } from './world.ts'

const settings = {
  relay: { relays: ['http://relay.localhost'] },
  appview: { appViewDid: 'did:web:appview.localhost', appViewUrl: 'http://appview.localhost' },
  links: { backlinkStreamUrl: 'http://links.localhost' },
  mail: { smtpUrl: 'smtp://mail.localhost' },
} satisfies Readonly<Record<string, Partial<Config>>>

export type ServiceName = keyof typeof settings

/** Returns the settings of a server that uses services. */
export function settingsOf(names: ReadonlySet<ServiceName>): Partial<Config> {
  return Object.assign({}, ...[...names].map((name) => settings[name]))
}

export class Services {
  readonly relay: Relay
  readonly appView: ProxiedService
  /** A service that clients name. */
  readonly chat: ProxiedService
  readonly push: PushService
  readonly links: LinkService
  readonly mail: MailServer

  constructor(world: World) {
    const { wire } = world
    const keyOf = (did: string) => world.signingKeyOf(did)
    this.relay = new Relay({
      wire,
      keyOf,
      serverOf: (did) => world.serverOf(did),
      machines: () => world.machines,
    })
    this.appView = new ProxiedService('appview', world)
    this.chat = new ProxiedService('chat', world)
    this.push = new PushService(world, (push, person) => wrongPush(world, push, person))
    this.links = new LinkService(wire)
    this.mail = new MailServer(wire, () => world.time.clock.now())
  }

  /** Ends all their faults. */
  heal(): void {
    const { relay, appView, chat, push, links, mail } = this
    for (const service of [relay, appView, chat, push, links, mail]) service.heal()
  }

  close(): void {
    this.relay.kill()
    this.links.host.kill()
  }
}
