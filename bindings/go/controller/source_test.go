package controller_test

// This file has what a controller does with lists and watches that go wrong.

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stint-dev/stint/bindings/go/controller"
)

func TestListsComeInPagesAndAWatchGoesOnFromThere(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = pages("JobList", job("a", 1, 0), job("b", 2, 0), job("c", 3, 0))
		run := start(t, server, func(c *controller.Config) { c.PageLimit = 1 })
		lists, watches := server.reads(jobsPath)
		expectCount(t, "pages", lists, 3)
		for i, query := range []string{"limit=1", "limit=1&continue=page+1%2F%3D", "limit=1&continue=page+2%2F%3D"} {
			if lists[i].target != jobsPath+"?"+query {
				t.Errorf("page %d is asked for as %s, expected %s", i, lists[i].target, query)
			}
		}
		expectCount(t, "watches", watches, 1)
		expectContains(t, watches[0].target, "?watch=true&allowWatchBookmarks=true&resourceVersion=100&timeoutSeconds=")
		_, podWatches := server.reads(podsPath)
		expectContains(t, podWatches[0].target, "?labelSelector=batch.kubernetes.io%2Fcontroller-uid&watch=true&")
		for _, name := range []string{"a", "b", "c"} {
			explanation, err := run.Explain(t.Context(), "default", name)
			check(t, err)
			if !explanation.Found {
				t.Errorf("the Job %s of a page is not known", name)
			}
		}
		if !run.HasListed() {
			t.Error("HasListed is false though all was listed")
		}
		run.stop(t)
	})
}

func TestNothingIsListedBeforeTheServerAnswers(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		slowly := pages("JobList", job("a", 1, 0), job("b", 2, 0))
		server.lists[jobsPath] = func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(9 * time.Second) // Below the limit, for each page.
			slowly(w, r)
		}
		run := start(t, server)
		time.Sleep(17 * time.Second)
		if run.HasListed() {
			t.Error("HasListed is true before the second page")
		}
		time.Sleep(2 * time.Second)
		if !run.HasListed() {
			t.Error("HasListed is false though all was listed")
		}
		run.stop(t)
	})
}

func TestAPageThatTakesTooLongIsGivenUpAndAskedForAgain(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = func(w http.ResponseWriter, r *http.Request) {
			<-r.Context().Done()
		}
		run := start(t, server)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		run.log.expect(t, "the list got no answer: there was no answer in time: RequestTimeout is 10s")
		set(server, server.lists, jobsPath, pages("JobList", job("a", 1, 0)))
		time.Sleep(2 * time.Second)
		if !run.HasListed() {
			t.Error("the list was not tried again")
		}
		run.stop(t)
	})
}

// The pages were too slow for the server, which has forgotten the version of the first one.
func TestAListWhosePagesHaveExpiredComesInOnePiece(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		paged := pages("JobList", job("a", 1, 0), job("b", 2, 0))
		server.lists[jobsPath] = func(w http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Query().Get("continue") != "":
				refuse(w, http.StatusGone, "the continue token has expired")
			case r.URL.Query().Get("limit") == "0":
				pages("JobList", job("a", 1, 0)+","+job("b", 2, 0))(w, r)
			default:
				paged(w, r)
			}
		}
		run := start(t, server)
		time.Sleep(2 * time.Second)
		lists, watches := server.reads(jobsPath)
		expectCount(t, "lists", lists, 3)
		expectCount(t, "watches", watches, 1)
		expectContains(t, lists[2].target, "?limit=0")
		expectBetween(t, "the list came", lists[1], lists[2], 800*time.Millisecond, 1600*time.Millisecond)
		run.stop(t)
	})
}

func TestAnExpiredWatchIsListedAgain(t *testing.T) {
	asEvent := func(t *testing.T, server *server) { server.send(t, jobsPath, gone) }
	asStatus := func(t *testing.T, server *server) {
		set(server, server.onWatch, jobsPath, func(w http.ResponseWriter, r *http.Request) {
			set(server, server.onWatch, jobsPath, nil)
			refuse(w, http.StatusGone, "too old resource version")
		})
		server.watchOf(t, jobsPath).end <- nil
	}
	for name, expire := range map[string]func(*testing.T, *server){"as an event": asEvent, "as a status": asStatus} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T) {
				server := newServer(t)
				run := start(t, server)
				time.Sleep(time.Minute)
				server.watchOf(t, jobsPath)
				set(server, server.lists, jobsPath, func(w http.ResponseWriter, r *http.Request) {
					fmt.Fprintf(w, `{"kind":"JobList","metadata":{"resourceVersion":"900"},"items":[%s]}`, job("new", 800, 0))
				})
				began := seen{at: time.Since(server.began)}
				expire(t, server)
				time.Sleep(2 * time.Second)
				lists, watches := server.reads(jobsPath)
				expectCount(t, "lists", lists, 2)
				expectBetween(t, "the list came", began, lists[1], 800*time.Millisecond, 1600*time.Millisecond)
				expectContains(t, watches[len(watches)-1].target, "&resourceVersion=900&")
				if explanation, err := run.Explain(t.Context(), "default", "new"); err != nil || !explanation.Found {
					t.Errorf("the Job of the new list is not known: %v", err)
				}
				if _, podLists := server.reads(podsPath); len(podLists) != 1 {
					t.Error("the pods were read again, too")
				}
				run.stop(t)
			})
		})
	}
}

func TestAWatchThatBreaksInALineGoesOnBeforeIt(t *testing.T) {
	for name, end := range map[string]error{"broken": errors.New("broken"), "ended": nil} {
		t.Run(name, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T) {
				server := newServer(t)
				run := start(t, server)
				time.Sleep(time.Minute)
				second := line("ADDED", job("second", 301, 0))
				server.send(t, jobsPath, line("ADDED", job("first", 300, 0))+second[:len(second)/2])
				server.watchOf(t, jobsPath).end <- end
				time.Sleep(2 * time.Second)
				lists, watches := server.reads(jobsPath)
				expectCount(t, "lists", lists, 1)
				expectCount(t, "watches", watches, 2)
				expectContains(t, watches[1].target, "&resourceVersion=300&")
				server.send(t, jobsPath, second[:10])
				third := line("ADDED", job("third", 302, 0))
				server.send(t, jobsPath, second[10:]+third[:10])
				server.send(t, jobsPath, third[10:])
				for _, name := range []string{"second", "third"} {
					if explanation, err := run.Explain(t.Context(), "default", name); err != nil || !explanation.Found {
						t.Errorf("the Job %s, whose line was cut, is not known: %v", name, err)
					}
				}
				run.stop(t)
			})
		})
	}
}

func TestAWatchGoesOnFromABookmark(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		run := start(t, server)
		server.send(t, podsPath, bookmark("Pod", 700))
		server.watchOf(t, podsPath).end <- nil // At once, but there was progress: that is no fault.
		_, watches := server.reads(podsPath)
		expectCount(t, "watches", watches, 2)
		expectContains(t, watches[1].target, "&resourceVersion=700&")
		expectBetween(t, "the next watch came", watches[0], watches[1], 0, 0)
		run.stop(t)
	})
}

func TestAWatchThatEndsAtOnceWaits(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.onWatch[jobsPath] = func(w http.ResponseWriter, r *http.Request) {}
		run := start(t, server)
		time.Sleep(10 * time.Minute)
		_, watches := server.reads(jobsPath)
		expectGrowingDelays(t, watches)
		run.stop(t)
	})
}

func TestErrorsOfTheServerMakeTheWaitGrow(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = func(w http.ResponseWriter, r *http.Request) {
			refuse(w, http.StatusInternalServerError, "etcd has\nno leader")
		}
		run := start(t, server)
		time.Sleep(10 * time.Minute)
		lists, _ := server.reads(jobsPath)
		expectGrowingDelays(t, lists)
		run.log.expect(t, "GET "+jobsPath+" was answered 500: etcd has no leader")

		set(server, server.lists, jobsPath, pages("JobList", ""))
		time.Sleep(time.Minute) // A watch that lasts ends the growth.
		server.watchOf(t, jobsPath).end <- errors.New("broken")
		began := seen{at: time.Since(server.began)}
		time.Sleep(2 * time.Second)
		_, watches := server.reads(jobsPath)
		expectCount(t, "watches", watches, 2)
		expectBetween(t, "the watch came", began, watches[1], 800*time.Millisecond, 1600*time.Millisecond)
		run.stop(t)
	})
}

// expectGrowingDelays: client-go's, from 0.8 s to 30 s.
func expectGrowingDelays(t *testing.T, tries []seen) {
	t.Helper()
	const longest = 30 * time.Second
	base := 800 * time.Millisecond
	for i := range len(tries) - 1 {
		expectBetween(t, fmt.Sprintf("try %d came", i+2), tries[i], tries[i+1], min(base, longest), min(2*base, longest))
		base *= 2
	}
	if len(tries) < 20 || len(tries) > 30 {
		t.Errorf("there were %d tries in ten minutes", len(tries))
	}
}

func TestAServerMayAskToWait(t *testing.T) {
	for header, wait := range map[string]time.Duration{"7": 7 * time.Second, "999999": 5 * time.Minute} {
		t.Run(header, func(t *testing.T) {
			inVirtualTime(t, func(t *testing.T) {
				server := newServer(t)
				server.lists[jobsPath] = func(w http.ResponseWriter, r *http.Request) {
					set(server, server.lists, jobsPath, pages("JobList", ""))
					w.Header().Set("Retry-After", header)
					refuse(w, http.StatusTooManyRequests, "too many requests")
				}
				run := start(t, server)
				time.Sleep(10 * time.Minute)
				lists, _ := server.reads(jobsPath)
				expectCount(t, "lists", lists, 2)
				expectBetween(t, "the list came", lists[0], lists[1], wait, wait)
				run.stop(t)
			})
		})
	}
}

func TestASilentWatchIsGivenUp(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.client.Timeout = time.Second // That of a client is not for watches.
		run := start(t, server)
		time.Sleep(149 * time.Second)
		server.send(t, podsPath, bookmark("Pod", 700))
		time.Sleep(4 * time.Second)
		lists, jobWatches := server.reads(jobsPath)
		_, podWatches := server.reads(podsPath)
		expectCount(t, "watches of Jobs", jobWatches, 2)
		expectCount(t, "watches of pods", podWatches, 1)
		expectCount(t, "lists", lists, 1)
		run.log.expect(t, "the watch broke: there was no answer in time")
		run.stop(t)
	})
}

func TestALineHasALimit(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		run := start(t, server)
		opened := server.watchOf(t, jobsPath)
		go func() {
			piece := strings.Repeat(" ", 1<<20)
			for opened.isOpen() {
				select {
				case opened.lines <- piece:
				case <-opened.closed:
				}
			}
		}()
		<-opened.closed
		time.Sleep(2 * time.Second)
		run.log.expect(t, fmt.Sprintf("the watch broke: a line is longer than %d bytes", controller.MaxLineBytes))
		_, watches := server.reads(jobsPath)
		expectCount(t, "watches", watches, 2)
		run.stop(t)
	})
}

func TestALongLineIsRead(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		run := start(t, server)
		spaces := strings.Repeat(" ", 3<<20)
		for i := range 3 {
			text := line("ADDED", strings.Replace(job(fmt.Sprint("long-", i), 300+2*i, 0), "{", "{"+spaces, 1))
			server.send(t, jobsPath, text[:1<<20])
			server.send(t, jobsPath, text[1<<20:]+line("ADDED", job(fmt.Sprint("short-", i), 301+2*i, 0)))
			for _, name := range []string{fmt.Sprint("long-", i), fmt.Sprint("short-", i)} {
				if explanation, err := run.Explain(t.Context(), "default", name); err != nil || !explanation.Found {
					t.Errorf("%s is not known: %v", name, err)
				}
			}
		}
		run.stop(t)
	})
}

func TestADocumentOfAnotherKindIsListedAgain(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[jobsPath] = func(w http.ResponseWriter, r *http.Request) {
			set(server, server.lists, jobsPath, pages("JobList", ""))
			fmt.Fprint(w, "<html>a proxy</html>")
		}
		run := start(t, server)
		time.Sleep(2 * time.Second)
		if !run.HasListed() {
			t.Error("the list was not tried again")
		}
		server.send(t, podsPath, line("ADDED", job("a", 300, 0)))
		time.Sleep(2 * time.Second)
		lists, _ := server.reads(podsPath)
		expectCount(t, "lists of pods", lists, 2)
		run.stop(t)
	})
}

func TestAnObjectThatCannotBeReadStopsItsOwnJob(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		run := start(t, server)
		bad := strings.Replace(job("bad", 300, 0), "uid-bad", strings.Repeat("u", 64), 1)
		server.send(t, jobsPath, line("ADDED", bad)+line("ADDED", job("good", 301, 0)))
		run.log.expect(t, "an object cannot be read, and its Job is blocked")
		_, watches := server.reads(jobsPath)
		expectCount(t, "watches", watches, 1)
		if explanation, err := run.Explain(t.Context(), "default", "good"); err != nil || !explanation.Found {
			t.Errorf("the Job behind it is not known: %v", err)
		}
		run.stop(t)
	})
}

func TestNobodyIsLetInWithoutPermission(t *testing.T) {
	inVirtualTime(t, func(t *testing.T) {
		server := newServer(t)
		server.lists[podsPath] = func(w http.ResponseWriter, r *http.Request) {
			refuse(w, http.StatusForbidden, `pods is forbidden: User "x" cannot list resource "pods"`)
		}
		server.onWatch[jobsPath] = func(w http.ResponseWriter, r *http.Request) {
			refuse(w, http.StatusUnauthorized, "Unauthorized")
		}
		run := start(t, server)
		synctest.Wait()
		run.log.expect(t, `cannot list resource \"pods\"; the role of this user needs the verb \"list\" on \"pods\" in the `+
			`API group \"\"`)
		run.log.expect(t, "was answered 401: Unauthorized; Config.Client has no credentials that this server takes, or they "+
			"have expired: give it others")
		run.stop(t)
	})
}

func TestAPermissionIsNamed(t *testing.T) {
	for _, c := range []struct {
		method, target string
		isWatch        bool
		wanted         string
	}{
		{"GET", "/apis/batch/v1/jobs?limit=500", false, `the verb "list" on "jobs" in the API group "batch"`},
		{"GET", "/apis/batch/v1/jobs?watch=true", true, `the verb "watch" on "jobs" in the API group "batch"`},
		{
			"POST", "/api/v1/namespaces/ci/pods", false,
			`the verb "create" on "pods" in the API group "", in the namespace "ci"`,
		},
		{"GET", "/api/v1/namespaces/ci/pods/a", false, `the verb "get" on "pods" in the API group "", in the namespace "ci"`},
		{
			"PUT", "/apis/batch/v1/namespaces/ci/jobs/a/status", false,
			`the verb "update" on "jobs/status" in the API group "batch", in the namespace "ci"`,
		},
		{
			"DELETE", "/api/v1/namespaces/ci/pods/a", false,
			`the verb "delete" on "pods" in the API group "", in the namespace "ci"`,
		},
		{"GET", "/version", false, `the verb "get" on "/version"`},
		{"GET", "/", false, `the verb "get" on "/"`},
	} {
		if permission := controller.PermissionOf(c.method, c.target, c.isWatch); permission != c.wanted {
			t.Errorf("%s %s needs %s, expected %s", c.method, c.target, permission, c.wanted)
		}
	}
}

func TestARefusalIsOneShortLine(t *testing.T) {
	for body, wanted := range map[string]string{
		`{"kind":"Status","message":"no\tsuch\n thing\u202e"}`: ": no such thing",
		"<html>\x1b[31mBad Gateway\xff":                        ": <html> [31mBad Gateway\uFFFD",
		strings.Repeat("ü", 300):                               ": " + strings.Repeat("ü", 200) + "…",
		"x" + strings.Repeat("ü", 300):                         ": x" + strings.Repeat("ü", 199) + "…",
		`{"kind":"Status"}`:                                    "",
		"null":                                                 "",
		"":                                                     "",
	} {
		text := controller.RefusalOf("GET", "/api/v1/pods?limit=5", 502, body)
		if text != "GET /api/v1/pods was answered 502"+wanted {
			t.Errorf("the refusal of %q is %q", body, text)
		}
	}
}
