/** Describes OAuth scopes in plain words. */
import { t } from '../../strings/en.ts'
import { collectionName } from './collection-name.ts'

const words: Readonly<Record<string, string>> = {
  atproto: t.scopes.atproto,
  'transition:generic': t.scopes.generic,
  'transition:email': t.scopes.email,
  'transition:chat.bsky': t.scopes.chat,
}

/** Returns the permissions in a text of scopes, one phrase per scope. */
export function scopeWords(scope: string): string[] {
  return [...new Set(scope.split(' ').map((one) => words[one] ?? describe(one)))]
}

/** The syntax: a resource, then one value after a colon, and further ones as a query, which may also name the first one. */
function describe(scope: string): string {
  const [head = '', query = ''] = scope.split('?')
  const at = head.indexOf(':')
  const resource = at < 0 ? head : head.slice(0, at)
  const value = at < 0 ? '' : decodeURIComponent(head.slice(at + 1))
  const params = new URLSearchParams(query)
  const all = (name: string) => [...(value === '' ? [] : [value]), ...params.getAll(name)]
  switch (resource) {
    case 'repo':
      return describeRepo(all('collection'), params.getAll('action'))
    case 'blob':
      return describeBlob(all('accept'))
    case 'rpc':
      return t.scopes.rpc(
        t.scopes.and(all('lxm').map((one) => (one === '*' ? t.scopes.allCalls : one))),
        serviceName(params.get('aud') ?? '*'),
      )
    case 'account':
      return describeAccount(all('attr'), params.getAll('action').includes('manage')) ?? scope
    case 'identity':
      return all('attr').includes('handle') ? t.scopes.handle : t.scopes.identity
    case 'include':
      return t.scopes.set(all('nsid').join(', '))
    default:
      return scope
  }
}

function describeBlob(types: readonly string[]): string {
  const chosen = types.includes('*/*') ? ['*/*'] : types
  return t.scopes.blob(t.scopes.and(chosen.map((type) => t.scopes.blobs[type] ?? t.scopes.files(type))))
}

/** Returns undefined for attributes that this server does not use. */
function describeAccount(attributes: readonly string[], isManaged: boolean): string | undefined {
  if (attributes.includes('email')) return isManaged ? t.scopes.emailChange : t.scopes.email
  return attributes.includes('repo') && isManaged ? t.scopes.repoReplace : undefined
}

function describeRepo(collections: readonly string[], actions: readonly string[]): string {
  const chosen = actions.length > 0 ? actions : Object.keys(t.scopes.actions)
  return t.scopes.repo(
    t.scopes.and(chosen.map((action) => t.scopes.actions[action] ?? action)),
    collections.includes('*') ? t.scopes.allRecords : t.scopes.and(collections.map(recordsOf)),
  )
}

function recordsOf(nsid: string): string {
  const name = collectionName(nsid)
  return name === nsid ? nsid : name.toLocaleLowerCase()
}

function serviceName(audience: string): string {
  return audience === '*' ? t.scopes.anyService : audience.replace(/^did:web:/, '').replace(/#.*$/, '')
}
