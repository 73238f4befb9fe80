// Kubernetes' programs in one file: they share most of their code, so it is linked and stored once. The name of the
// link that is called says which one runs.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"

	// Zones of CronJobs: a node image may come without them.
	_ "time/tzdata"

	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"

	"k8s.io/component-base/cli"
	"k8s.io/component-base/logs"
	kubectl "k8s.io/kubectl/pkg/cmd"
	kubectlutil "k8s.io/kubectl/pkg/cmd/util"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllermanager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubemark "k8s.io/kubernetes/cmd/kubemark/app"
)

// Each makes its command when called, not before: making one registers flags and feature gates for the whole process.
var programs = map[string]func() int{
	"kube-apiserver":          func() int { return cli.Run(apiserver.NewAPIServerCommand()) },
	"kube-controller-manager": func() int { return cli.Run(controllermanager.NewControllerManagerCommand()) },
	"kube-scheduler":          func() int { return cli.Run(scheduler.NewSchedulerCommand()) },
	"kubemark":                func() int { return cli.Run(kubemark.NewHollowNodeCommand()) },
	"kubectl":                 runKubectl,
}

func runKubectl() int {
	// kubectl logs while it builds its commands, before it has parsed -v itself.
	if _, err := logs.GlogSetter(kubectl.GetLogVerbosity(os.Args)); err != nil {
		fmt.Fprintln(os.Stderr, "kubectl: verbosity:", err)
	}
	if err := cli.RunNoErrOutput(kubectl.NewDefaultKubectlCommand()); err != nil {
		// Prints the error as kubectl's users know it, and exits.
		kubectlutil.CheckErr(err)
	}
	return 0
}

func main() {
	program, known := programs[filepath.Base(os.Args[0])]
	if !known && len(os.Args) > 1 {
		if program, known = programs[os.Args[1]]; known {
			os.Args = os.Args[1:]
		}
	}
	if !known {
		names := make([]string, 0, len(programs))
		for name := range programs {
			names = append(names, name)
		}
		sort.Strings(names)
		fmt.Fprintf(os.Stderr, "call me by one of these names, or give it as the first word: %s\n", strings.Join(names, ", "))
		os.Exit(2)
	}
	os.Exit(program())
}
