"""What hookscope costs, each figure beside the floor that nobody can get below: see README.md here.

    measure     rounds, medians, rows and targets       __main__    picks, prints, writes results.json
    kernel_bench     the dispatch loop                  goplugin_bench    a dispatch over gRPC
    startup_bench    whole processes                    diff_bench        diffs of payloads

`echo_plugin` and `empty_app` are programs of their own that the others start.
"""
