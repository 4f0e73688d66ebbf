/** The long-lived parts of the server, wing by wing. Handlers receive them with each call. */
import { type App, createApp, createNotifier, type Notifier } from './app/app.ts'
import { createFederation, type Federation, type FederationOptions } from './federation/federation.ts'
import { createIdentity, type Identity, type IdentityOptions } from './identity/identity.ts'
import { createOperation, type Operation, type OperationOptions } from './operation/operation.ts'
import { createPlatform, type Platform, type PlatformOptions } from './platform/platform.ts'
import { createRepository, type Repository, type RepositoryOptions } from './repository/repository.ts'

export interface Services extends Platform, Identity, Repository, Federation, Notifier, App, Operation {}

export interface ServicesOptions
  extends PlatformOptions,
    IdentityOptions,
    Omit<RepositoryOptions, 'listeners'>,
    Omit<FederationOptions, 'notifying' | 'silent'>,
    OperationOptions {}

/** Creates them in order: a later one uses only earlier ones. */
export async function createServices(options: ServicesOptions): Promise<Services> {
  const platform = createPlatform(options)
  const identity = await createIdentity(platform, options)
  const notifier = createNotifier(platform)
  const { listener, ...federation } = await createFederation(platform, identity, notifier, options)
  const listeners = [notifier.notifying, listener]
  const repository = await createRepository(platform, { ...options, listeners })
  const app = createApp(platform, notifier, federation)
  const operation = createOperation(platform, identity, repository, options)
  return { ...platform, ...identity, ...repository, ...federation, ...notifier, ...app, ...operation }
}
