/**
 * Every text of the user interface, one file an area. Screens hold no text of their own; `strings.test.ts` checks it.
 * Labels are nouns, buttons are verbs. An error says what happened, then what to do.
 */
import * as access from './en/access.ts'
import * as account from './en/account.ts'
import * as administration from './en/administration.ts'
import * as apps from './en/apps.ts'
import { composer } from './en/composer.ts'
import * as computer from './en/computer.ts'
import { conformance } from './en/conformance.ts'
import { connect } from './en/connect.ts'
import { connector } from './en/connector.ts'
import * as copies from './en/copies.ts'
import { data } from './en/data.ts'
import * as entrance from './en/entrance.ts'
import { errors } from './en/errors.ts'
import { factors } from './en/factors.ts'
import { feed } from './en/feed.ts'
import { friends } from './en/friends.ts'
import * as home from './en/home.ts'
import * as identity from './en/identity.ts'
import { move } from './en/move.ts'
import { network } from './en/network.ts'
import * as notifications from './en/notifications.ts'
import * as palette from './en/palette.ts'
import { people } from './en/people.ts'
import { post } from './en/post.ts'
import { profile } from './en/profile.ts'
import { recover } from './en/recover.ts'
import { requests } from './en/requests.ts'
import { search } from './en/search.ts'
import { seen } from './en/seen.ts'
import { server } from './en/server.ts'
import * as shell from './en/shell.ts'
import { tunnel } from './en/tunnel.ts'
import * as upstreams from './en/upstreams.ts'

export const t = {
  ...shell,
  ...entrance,
  ...account,
  ...access,
  ...home,
  ...identity,
  ...notifications,
  ...administration,
  ...apps,
  ...computer,
  ...copies,
  ...upstreams,
  ...palette,
  composer,
  conformance,
  connect,
  data,
  factors,
  feed,
  move,
  network,
  people,
  post,
  profile,
  recover,
  requests,
  search,
  seen,
  server,
  tunnel,
  connector,
  friends,
  errors,
}
