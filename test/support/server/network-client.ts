/** The first server of a network for tests, with the client of test servers. */
import type { OutboxMessage } from '../../../server/platform/mail/outbox.ts'
import { type Network, type NetworkOptions, startNetwork } from '../../../server/testing/network.ts'
import { adminPassword, ServerClient } from './client.ts'

export class NetworkClient extends ServerClient {
  readonly network: Network

  private constructor(network: Network) {
    super()
    this.network = network
  }

  static async start({ config, ...options }: NetworkOptions = {}): Promise<NetworkClient> {
    return new NetworkClient(await startNetwork({ ...options, config: { adminPassword, ...config } }))
  }

  get url(): string {
    return this.network.url
  }

  get clock(): Network['clock'] {
    return this.network.clock
  }

  async mailsTo(email: string): Promise<OutboxMessage[]> {
    return (await this.network.mail.messages()).filter(({ to }) => to === email).reverse()
  }

  /** Ends the server as `kill -9` does; its port stays. */
  kill(): void {
    this.network.servers[0]?.kill()
  }

  /** Starts the server again on its data; closes it first if it runs. */
  async restart(): Promise<void> {
    await this.network.servers[0]?.restart()
  }

  close(): Promise<void> {
    return this.network.stop()
  }
}
